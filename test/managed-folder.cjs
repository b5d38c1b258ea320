// Lets a built program find an organization's files in the folder that TEST_MANAGED_FOLDER names: `node --require` this.
// The programs themselves read no such variable. In the test's own process, drive.ts does the same.
'use strict';
const fs = require('node:fs');

const folder = process.env.TEST_MANAGED_FOLDER;
const real = { darwin: '/Library/Application Support/ClaudeCode', win32: 'C:\\Program Files\\ClaudeCode' };
const from = real[process.platform] ?? '/etc/claude-code';

for (const name of ['openSync', 'statSync', 'lstatSync', 'existsSync', 'readdirSync', 'readFileSync']) {
  const original = fs[name];
  fs[name] = (path, ...rest) =>
    original(
      typeof path === 'string' && folder !== undefined && path.startsWith(from)
        ? `${folder}${path.slice(from.length)}`
        : path,
      ...rest,
    );
}
