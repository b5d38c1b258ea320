// Simulates a file system of Windows or macOS on top of the real one: `node --require` this, with FOREIGN_FS as
// `{ "root": folder, "kinds": [...] }`. Only paths below the folder are foreign.
//   fold   a name is found in any case, as both systems do
//   nfd    names are kept decomposed, and found in either form, as macOS does
//   busy   each file that is replaced or removed is in use at first, and each folder that is removed refills: Windows
'use strict';
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const { join, resolve, sep } = require('node:path');
const { fileURLToPath } = require('node:url');

// Programs with a different environment run without FOREIGN_FS: for them, nothing is foreign.
const { root, kinds } = JSON.parse(process.env.FOREIGN_FS ?? '{ "root": "/nowhere", "kinds": [] }');
const is = (kind) => kinds.includes(kind);
const real = { ...fs, promises: { ...fs.promises } };

const key = (name) => (is('fold') ? name.normalize('NFC').toLowerCase() : name.normalize('NFC'));
const under = (path) => {
  const way = resolve(path);
  return key(way) === key(root) || key(way).startsWith(key(root + sep)) ? way.slice(root.length + 1) : undefined;
};
const found = (folder, name) => {
  try {
    return real.readdirSync(folder).find((one) => key(one) === key(name));
  } catch {
    return undefined;
  }
};

/** The path as spelled on the disk. */
const spelled = (path) => {
  const way = under(path);
  if (way === undefined) return path;
  return way
    .split(sep)
    .filter(Boolean)
    .reduce((at, name) => join(at, found(at, name) ?? (is('nfd') ? name.normalize('NFD') : name)), root);
};

const TWO_PATHS = /^(?:rename|link|copyFile|cp|symlink)/;
const mapped = (name, args) =>
  args.map((arg, at) => {
    if (at > (TWO_PATHS.test(name) ? 1 : 0)) return arg;
    const path = arg instanceof URL ? fileURLToPath(arg) : arg;
    return typeof path === 'string' ? spelled(path) : arg;
  });

const times = new Map();
/** Fails the first few operations on a path. */
const inUse = (what, path, codes) => {
  if (!is('busy') || typeof path !== 'string' || under(path) === undefined) return;
  const id = `${what} ${key(resolve(path))}`;
  const done = times.get(id) ?? 0;
  times.set(id, done + 1);
  const code = codes[done];
  if (code) throw Object.assign(new Error(`${code}: in use, ${what} '${path}'`), { code, syscall: what, path });
};

const before = (name, args) => {
  if (/^rename/.test(name)) inUse('rename', args[1], ['EPERM', 'EBUSY', 'EACCES']);
  // A removed file stays as long as a program has it open, and so does the folder around it.
  if (/^(?:rm|unlink)/.test(name) && typeof args[0] === 'string' && real.existsSync(spelled(args[0])))
    inUse('rm', args[0], real.statSync(spelled(args[0])).isDirectory() ? ['EBUSY', 'ENOTEMPTY'] : ['EBUSY', 'EPERM']);
};

const wrap = (from, to) => {
  for (const [name, work] of Object.entries(from)) {
    if (
      typeof work !== 'function' ||
      /^[A-Z_]/.test(name) ||
      /^(?:f[a-z]+|close|read|write|readv|writev)(?:Sync)?$/.test(name)
    )
      continue;
    to[name] = Object.assign((...args) => {
      before(name, args);
      return work(...mapped(name, args));
    }, work);
  }
};
wrap(real, fs);
wrap(real.promises, fs.promises);
// Like macOS and Windows, gives the names on the disk.
fs.realpathSync = Object.assign((path, ...rest) => real.realpathSync(spelled(String(path)), ...rest), {
  native: (path, ...rest) => real.realpathSync.native(spelled(String(path)), ...rest),
});
syncBuiltinESMExports();
if (is('busy')) Object.defineProperty(process, 'platform', { value: 'win32' });
