// Loaded into every Node of a run in Wine.
const child = require('node:child_process');
const { syncBuiltinESMExports } = require('node:module');
const { NODE_OPTIONS } = process.env;
const { spawn } = child.ChildProcess.prototype;
const given = (pairs) => pairs.some((pair) => /^NODE_OPTIONS=/i.test(pair));
child.ChildProcess.prototype.spawn = function (options) {
  if (options.envPairs && !given(options.envPairs)) options.envPairs.push(`NODE_OPTIONS=${NODE_OPTIONS}`);
  return spawn.call(this, options);
};
for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
  const real = child[name];
  child[name] = (...args) => {
    const at = args.findIndex((arg) => arg !== null && typeof arg === 'object' && !Array.isArray(arg));
    if (at >= 0 && args[at].env) args[at] = { ...args[at], env: { NODE_OPTIONS, ...args[at].env } };
    return real(...args);
  };
}
syncBuiltinESMExports();
