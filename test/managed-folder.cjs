// Lets a program find an organization's files in the folder that TEST_MANAGED_FOLDER names. A built program loads this with
// `node --require`, a test's own process with drive.ts, where `process.env` is the run's. Both go on naming the real
// folder, so that one can use what the other remembered. The programs themselves read no such variable.
'use strict';
const fs = require('node:fs');

const real = { darwin: '/Library/Application Support/ClaudeCode', win32: 'C:\\Program Files\\ClaudeCode' };
const from = real[process.platform] ?? '/etc/claude-code';

for (const name of ['openSync', 'statSync', 'lstatSync', 'existsSync', 'readdirSync', 'readFileSync']) {
  const original = fs[name];
  fs[name] = (path, ...rest) => {
    const isThere = typeof path === 'string' && path.startsWith(from);
    const folder = isThere ? process.env.TEST_MANAGED_FOLDER : undefined;
    return original(folder === undefined ? path : `${folder}${path.slice(from.length)}`, ...rest);
  };
}
