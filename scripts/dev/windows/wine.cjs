// Loaded into every Node of a run in Wine. NODE_OPTIONS loads a fix for connections in Wine, and NODE_PATH leads to a native
// package. Each child process gets both, even if its parent gives it another environment.
const child = require('node:child_process');
const { syncBuiltinESMExports } = require('node:module');

const { NODE_OPTIONS, NODE_PATH } = process.env;
const needed = { NODE_OPTIONS, NODE_PATH };

const { spawn } = child.ChildProcess.prototype;
child.ChildProcess.prototype.spawn = function (options) {
  const pairs = options.envPairs ?? [];
  const isGiven = (name) => pairs.some((pair) => pair.startsWith(`${name}=`));
  const more = Object.entries(needed).filter(([name]) => !isGiven(name));
  return spawn.call(this, { ...options, envPairs: [...pairs, ...more.map(([name, value]) => `${name}=${value}`)] });
};
for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
  const real = child[name];
  child[name] = (...args) =>
    real(...args.map((arg) => (arg?.env === undefined ? arg : { ...arg, env: { ...needed, ...arg.env } })));
}
syncBuiltinESMExports();
