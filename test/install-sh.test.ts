// install.sh, and install.mjs behind it: run from a checkout, with and without the tools that they need.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { freshHome, listing, packageRoot, repository } from './install-home.ts';
import { noShell } from './posix.ts';

describe('install.sh', { skip: noShell }, () => {
  /** A checkout with the script and the built files, and a PATH with only the programs that the script may use. */
  const checkout = () => {
    const box = freshHome();
    const folder = join(box.root, `it's a "checkout"`);
    const bin = join(box.root, 'bin');
    cpSync(packageRoot, folder, { recursive: true });
    for (const file of ['install.sh', 'install.mjs']) cpSync(join(repository, file), join(folder, file));
    mkdirSync(bin);
    const built = Date.now() / 1_000 + 30;
    utimesSync(join(folder, 'dist/cli.cjs'), built, built);
    for (const tool of ['bash', 'dirname', 'mkdir', 'readlink']) {
      const found = spawnSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).stdout.trim();
      symlinkSync(found, join(bin, tool));
    }
    const log = join(box.root, 'npm.log');
    const tool = (name: string, body: string): void =>
      writeFileSync(join(bin, name), `#!${realpathSync('/bin/bash')}\n${body}\n`, { mode: 0o755 });
    const real = (): void => symlinkSync(process.execPath, join(bin, 'node'));
    const npm = (end: string): void =>
      tool('npm', `printf '%s|%s|%s\\n' "$*" "$PWD" "\${npm_config_cache:-}" >>'${log}'; ${end}`);
    const sh = (args: string[], { cwd = box.project, script = join(folder, 'install.sh'), env = {} } = {}) => {
      const { status, stdout, stderr } = spawnSync(script, args, {
        cwd,
        env: { PATH: bin, HOME: box.home, TMPDIR: box.root, ...env },
        encoding: 'utf8',
      });
      return { exit: status, stdout, stderr };
    };
    const calls = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
    /** Makes a source newer than its built file. */
    const change = (path = 'scripts/a.ts'): void => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), '');
      const later = Date.now() / 1_000 + 60;
      utimesSync(join(folder, path), later, later);
    };
    return { ...box, folder, bin, tool, real, npm, sh, calls, change };
  };

  it('builds, then installs: from anywhere, through links, with NODE_ENV=production', () => {
    const { root, home, project, folder, real, npm, sh, calls, change } = checkout();
    real();
    npm('true');
    change();
    symlinkSync(`it's a "checkout"/install.sh`, join(root, 'link.sh'));
    const before = readdirSync(root);
    const { exit, stdout, stderr } = sh([], {
      cwd: home,
      script: join(root, 'link.sh'),
      env: { NODE_ENV: 'production' },
    });
    assert.equal(exit, 0, stderr);
    assert.match(stdout, /^Installed konnichiwagwan/);
    assert.deepEqual(calls(), [
      `ci --include=dev --include=optional --ignore-scripts --no-audit --no-fund|${folder}|`,
      `run build|${folder}|`,
    ]);
    assert.equal(sh(['--project', '--dry-run']).exit, 0);
    assert.deepEqual(readdirSync(project), []);
    assert.equal(sh(['--project']).exit, 0);
    assert.deepEqual(readdirSync(project), ['.claude']);
    const built = calls().length;
    assert.equal(sh(['--uninstall', '--project']).exit, 0);
    assert.equal(sh(['--purge', '--uninstall']).exit, 0);
    assert.equal(calls().length, built, 'uninstall built again');
    assert.deepEqual([listing(home), listing(project)], [{}, {}]);
    assert.deepEqual(
      readdirSync(root).filter((name) => name !== 'npm.log'),
      before,
      'a temporary folder was left',
    );
  });

  it('--uninstall from a checkout that was never built uses the installed copy', async () => {
    const { home, folder, real, ok, sh, calls } = checkout();
    real();
    await ok(['install']);
    rmSync(join(folder, 'dist'), { recursive: true });
    const { exit, stdout } = sh(['--uninstall']);
    assert.equal(exit, 0);
    assert.match(stdout, /^Removed/);
    assert.deepEqual(calls(), []);
    assert.deepEqual(listing(home), {});
  });

  it("--demo keeps npm's cache in a temporary folder, and removes that", () => {
    const { root, home, folder, real, npm, sh, calls, change } = checkout();
    real();
    change();
    npm('mkdir -p "$npm_config_cache"');
    writeFileSync(join(folder, 'dist/cli.cjs'), 'console.log(process.argv.slice(2).join()); process.exitCode = 1;');
    const before = readdirSync(root);
    const { exit, stdout } = sh(['--demo']);
    assert.deepEqual([exit, stdout], [1, 'demo\n']);
    assert.equal(calls().length, 2);
    for (const call of calls()) assert.ok(call.split('|')[2]?.startsWith(`${root}/konnichiwagwan-npm-`), call);
    assert.deepEqual(
      readdirSync(root).filter((name) => name !== 'npm.log'),
      before,
    );
    assert.deepEqual(listing(home), {});
  });

  it('what is built is not built again: it works offline, without npm', () => {
    const { folder, real, npm, sh, calls, change } = checkout();
    real();
    assert.equal(sh([]).exit, 0, 'a package, which holds no sources');
    mkdirSync(join(folder, 'scripts'));
    assert.equal(sh([]).exit, 0);
    assert.match(sh(['--project', '--dry-run']).stdout, /^Would install/);
    npm('true');
    change();
    mkdirSync(join(folder, 'node_modules'));
    writeFileSync(join(folder, 'node_modules/.package-lock.json'), '{}');
    writeFileSync(join(folder, 'package-lock.json'), '{}');
    utimesSync(join(folder, 'package-lock.json'), 1e9, 1e9);
    assert.equal(sh([]).exit, 0);
    assert.deepEqual(
      calls().map((call) => call.split('|')[0]),
      ['run build'],
      'nothing is fetched where the packages are there',
    );
    change('package-lock.json');
    assert.equal(sh([]).exit, 0);
    assert.match(calls()[1] ?? '', /^ci /);
  });

  it('settings that are no JSON: said before anything is built', () => {
    const { claude, write, real, npm, sh, calls, change } = checkout();
    real();
    npm('true');
    change();
    const text = '{ "model": "opus", }';
    write(text);
    const { exit, stdout, stderr } = sh([]);
    assert.deepEqual([exit, stdout, calls()], [1, '', []]);
    assert.match(stderr, /settings\.json is not valid JSON: .*\n.*Nothing was built or installed/);
    assert.equal(readFileSync(join(claude, 'settings.json'), 'utf8'), text);
    write('\ufeff{}');
    assert.equal(sh([]).exit, 0);
    write('');
    assert.equal(sh([]).exit, 0);
  });

  it('--yes and --no-wrap reach the installer', () => {
    const { folder, real, sh } = checkout();
    real();
    writeFileSync(join(folder, 'dist/cli.cjs'), 'console.log(process.argv.slice(2).join());');
    assert.equal(sh(['--yes']).stdout, 'install,--yes\n');
    assert.equal(sh(['--no-wrap', '--dry-run']).stdout, 'install,--no-wrap,--dry-run\n');
    assert.equal(sh(['--yes', '--no-wrap']).exit, 2);
    assert.equal(sh(['--uninstall', '--yes']).exit, 2);
  });

  it('a failed build shows its output and installs nothing', () => {
    const { home, real, npm, sh, change } = checkout();
    real();
    change();
    npm('echo "npm error: the reason"; exit 7');
    const { exit, stdout, stderr } = sh([]);
    assert.equal(exit, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /npm error: the reason.*npm ci .* failed.*Nothing was installed/s);
    assert.deepEqual(listing(home), {});
  });

  it('Node missing, too old, or just new enough', () => {
    const { tool, sh } = checkout();
    assert.deepEqual(sh([]).exit, 1);
    assert.match(sh([]).stderr, /Node\.js is missing: 20\.18\.1/);
    for (const [version, fine] of Object.entries({
      '4.9.1': false,
      '18.20.8': false,
      '20.9.0': false,
      '20.18.0': false,
      '20.18.1': true,
      '20.19.0': true,
      '22.0.0-nightly.1': true,
      '100.0.0': true,
    })) {
      tool('node', `[ "$1" != -p ] || { echo ${version}; exit; }; echo "$@"; exit 9`);
      const { exit, stdout, stderr } = sh(['--dry-run']);
      assert.equal(exit, fine ? 9 : 1, version);
      assert.match(stdout, fine ? /install\.mjs --dry-run$/m : /^$/);
      if (!fine) assert.match(stderr, new RegExp(`${version} is too old: 20\\.18\\.1 or newer`));
    }
  });

  it('npm missing', () => {
    const { real, sh, change } = checkout();
    real();
    change();
    const { exit, stderr } = sh([]);
    assert.equal(exit, 1);
    assert.match(stderr, /npm is missing/);
  });

  it('wrong use', () => {
    const { home, real, sh } = checkout();
    real();
    for (const args of [['--frobnicate'], ['x'], ['--purge'], ['--demo', '--uninstall'], ['--demo', '--project']]) {
      const { exit, stderr } = sh(args);
      assert.equal(exit, 2, args.join(' '));
      assert.match(stderr, /usage: /);
    }
    assert.equal(sh(['--help']).exit, 0);
    assert.deepEqual(listing(home), {});
  });
});

describe('install.mjs', () => {
  /** A built checkout without sources. */
  const checkout = () => {
    const box = freshHome();
    const folder = join(box.root, 'a checkout with ünï');
    cpSync(packageRoot, folder, { recursive: true });
    cpSync(join(repository, 'install.mjs'), join(folder, 'install.mjs'));
    const run = (...args: string[]) => {
      const { HOME: _, USERPROFILE: __, CLAUDE_CONFIG_DIR: ___, ...env } = process.env;
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'install.mjs'), ...args], {
        cwd: box.project,
        env: { ...env, HOME: box.home, USERPROFILE: box.home },
        encoding: 'utf8',
      });
      return { exit: status, stdout, stderr };
    };
    return { ...box, folder, run };
  };

  it('installs and uninstalls, from the folder where the user stands', () => {
    const { home, project, run } = checkout();
    const { exit, stdout, stderr } = run('--no-wrap');
    assert.deepEqual([exit, stderr], [0, '']);
    assert.match(stdout, /^Installed konnichiwagwan/);
    assert.equal(run('--project').exit, 0);
    assert.deepEqual(readdirSync(project), ['.claude']);
    assert.equal(run('--uninstall', '--project').exit, 0);
    assert.equal(run('--uninstall', '--purge').exit, 0);
    assert.deepEqual([listing(home), listing(project)], [{}, {}]);
  });

  it('the program gets the options, and its exit code is the end', () => {
    const { folder, run } = checkout();
    writeFileSync(join(folder, 'dist/cli.cjs'), 'console.log(process.argv.slice(1).join()); process.exitCode = 3;');
    const cli = join(folder, 'dist/cli.cjs');
    const answers = Object.entries({
      '': 'install',
      '--dry-run --yes': 'install,--yes,--dry-run',
      '--purge --uninstall --project': 'uninstall,--project,--purge',
      '--demo': 'demo',
    });
    for (const [args, passed] of answers) {
      const { exit, stdout } = run(...args.split(' ').filter(Boolean));
      assert.deepEqual([exit, stdout], [3, `${cli},${passed}\n`]);
    }
  });

  it('settings that are no JSON, and wrong use: said, and nothing is done', () => {
    const { home, settings, write, run } = checkout();
    write('{ "model": "opus", }');
    const { exit, stdout, stderr } = run();
    assert.deepEqual([exit, stdout], [1, '']);
    assert.ok(stderr.includes(`${settings} is not valid JSON: `), stderr);
    rmSync(settings);
    rmSync(dirname(settings), { recursive: true });
    for (const args of [['--frobnicate'], ['--purge'], ['--yes', '--no-wrap'], ['--demo', '--dry-run']]) {
      const wrong = run(...args);
      assert.deepEqual([wrong.exit, wrong.stdout], [2, '']);
      assert.match(wrong.stderr, /^install: .*\nusage: /);
    }
    assert.match(run('--help').stdout, /^usage: /);
    assert.deepEqual(listing(home), {});
  });
});
