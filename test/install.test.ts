// The installer as a user meets it: `node dist/cli.cjs install`, in a HOME and a package folder of its own.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { registrations } from '../scripts/install/hooks.ts';
import { addRules, removeRules } from '../scripts/install/permissions.ts';
import { isRegistered, register, unregister } from '../scripts/install/settings.ts';
import { checkRandomly } from './random-runs.ts';

const repository = process.cwd();
/** The command line as it is built: its entry, and the commands that it reads. */
const PROGRAM = ['cli.cjs', 'commands.cjs'];
let base: string;
let packageRoot: string;

before(() => {
  // realpath: on macOS the temporary folder is behind a link, and paths are compared as text.
  base = realpathSync(mkdtempSync(join(tmpdir(), 'kwg-install-')));
  packageRoot = join(base, 'package');
  for (const folder of ['dist', 'skills/konnichiwagwan/references', 'skills/konnichiwagwan/scripts']) {
    mkdirSync(join(packageRoot, folder), { recursive: true });
  }
  for (const name of PROGRAM) cpSync(join(repository, 'dist', name), join(packageRoot, 'dist', name));
  // What the hooks do is not the installer's business: any bytes will do.
  for (const name of ['guard', 'judge-call', 'session-start', 'tool-failure']) {
    writeFileSync(join(packageRoot, `dist/${name}.cjs`), `// ${name}\n`, { mode: 0o755 });
  }
  mkdirSync(join(packageRoot, 'dist/dev'));
  writeFileSync(join(packageRoot, 'dist/dev/bench.cjs'), '');
  writeFileSync(join(packageRoot, 'dist/cli.cjs.map'), '');
  const skill = join(packageRoot, 'skills/konnichiwagwan');
  writeFileSync(join(skill, 'SKILL.md'), '---\nname: konnichiwagwan\ndescription: x\n---\n');
  writeFileSync(join(skill, 'references/states.md'), 'states\n');
  writeFileSync(join(skill, 'scripts/check_tool_freshness.sh'), '#!/bin/sh\n');
  writeFileSync(join(packageRoot, 'package.json'), '{"name":"konnichiwagwan","version":"1.2.3"}');
});
after(() => rmSync(base, { recursive: true, force: true }));

const FILES = [
  'SKILL.md',
  ...PROGRAM.map((name) => `dist/${name}`),
  'dist/guard.cjs',
  'dist/judge-call.cjs',
  'dist/session-start.cjs',
  'dist/tool-failure.cjs',
  'install.json',
  'references/states.md',
  'scripts/check_tool_freshness.sh',
];

/** Every path below a folder with its mode and contents: equal listings are byte-identical folders. */
const listing = (folder: string): Record<string, string> => {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const stats = lstatSync(path);
    const mode = (stats.mode & 0o777).toString(8);
    if (stats.isSymbolicLink()) found[path] = `link ${readlinkSync(path)}`;
    else found[path] = stats.isDirectory() ? `folder ${mode}` : `${mode} ${readFileSync(path).toString('base64')}`;
  }
  return found;
};

let count = 0;

const sandbox = (name?: string) => {
  count += 1;
  const root = join(base, name ?? `case ${count}`);
  const home = join(root, 'home');
  const project = join(root, 'project');
  const claude = join(home, '.claude');
  const settings = join(claude, 'settings.json');
  const skill = join(claude, 'skills/konnichiwagwan');
  mkdirSync(home, { recursive: true });
  mkdirSync(project, { recursive: true });

  const run = (
    args: string[],
    {
      cwd = project,
      env = {},
      cli = join(packageRoot, 'dist/cli.cjs'),
    }: { cwd?: string; env?: object; cli?: string } = {},
  ) => {
    const result = spawnSync(process.execPath, [cli, ...args], {
      cwd,
      env: { PATH: process.env.PATH, HOME: home, ...env },
      encoding: 'utf8',
    });
    assert.doesNotMatch(result.stderr, /\n\s+at /, 'a stack trace');
    return { exit: result.status, stdout: result.stdout, stderr: result.stderr, out: result.stdout + result.stderr };
  };
  const ok = (args: string[], options?: Parameters<typeof run>[1]) => {
    const result = run(args, options);
    assert.equal(result.exit, 0, result.out);
    return result;
  };
  const write = (text: string | Buffer, file = settings): void => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const read = (file = settings): string => readFileSync(file, 'utf8');
  const parsed = (file = settings) => JSON.parse(read(file).replace(/^\ufeff/, ''));
  return { root, home, project, claude, settings, skill, run, ok, write, read, parsed };
};

const hook = (folder: string, script: string, more: object = {}) => ({
  type: 'command',
  command: 'node',
  args: [`${folder}/${script}.cjs`],
  timeout: 10,
  ...more,
});

const groups = (folder: string) => ({
  SessionStart: { hooks: [hook(folder, 'session-start')] },
  PreToolUse: { matcher: 'mcp__.*', hooks: [hook(folder, 'guard', { onFailure: 'block' })] },
  PostToolUseFailure: { matcher: 'mcp__.*', hooks: [hook(folder, 'tool-failure')] },
});

const onlyOurs = (folder: string) =>
  Object.fromEntries(Object.entries(groups(folder)).map(([event, group]) => [event, [group]]));

/** What a HOME or a project denies; with --project the state folder has the same name. */
const RULES = [
  'Edit(//**/mcp-contracts.lock.json)',
  'Edit(~/.claude/konnichiwagwan/**)',
  'Bash(*konnichiwagwan* approve*)',
  'Bash(*kwg* approve*)',
  'Bash(* cli.cjs* approve*)',
  'Bash(*/cli.cjs* approve*)',
];
const permissions = { deny: RULES };

const backups = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith('.bak'));

const THEIRS = {
  $schema: 'https://json.schemastore.org/claude-code-settings.json',
  model: 'opus',
  hooks: {
    PreToolUse: [
      { matcher: 'Bash', hooks: [{ type: 'command', command: 'echo "bash"' }] },
      { matcher: 'mcp__.*', hooks: [{ type: 'command', command: '/opt/audit.sh', timeout: 3 }] },
    ],
    SessionStart: [{ hooks: [{ type: 'command', command: 'node ~/dist/session-start.cjs' }] }],
    Stop: [],
  },
  permissions: { allow: ['Bash(ls:*)', 'mcp__gh__*'], deny: [] },
  env: { API_KEY: 'sk-very-secret', EMPTY: {} },
};

describe('a fresh HOME', () => {
  it('gets the skill and the hooks, and uninstall leaves no trace', () => {
    const { home, settings, skill, ok, read, parsed } = sandbox();
    const { stdout } = ok(['install']);
    assert.deepEqual(parsed(), { hooks: onlyOurs(join(skill, 'dist')), permissions });
    assert.equal(read(), `${JSON.stringify(parsed(), null, 2)}\n`);
    assert.deepEqual(
      Object.keys(listing(skill))
        .filter((path) => lstatSync(path).isFile())
        .map((path) => path.slice(skill.length + 1))
        .sort(),
      FILES,
    );
    for (const [path, entry] of Object.entries(listing(home))) {
      const mode = path.endsWith('.sh') ? '755 ' : '644 ';
      assert.ok(entry === 'folder 755' || entry.startsWith(mode), `${path}: ${entry.slice(0, 12)}`);
    }
    for (const shown of [skill, settings, '/konnichiwagwan', '1.2.3']) assert.ok(stdout.includes(shown), stdout);
    assert.match(ok(['uninstall']).stdout, /Removed konnichiwagwan/);
    assert.deepEqual(listing(home), {});
  });

  it('may be none at all, or a CLAUDE_CONFIG_DIR of many levels', () => {
    const { home, ok } = sandbox();
    const env = { CLAUDE_CONFIG_DIR: join(home, 'a/b/c') };
    ok(['install'], { env });
    assert.ok(existsSync(join(home, 'a/b/c/skills/konnichiwagwan/SKILL.md')));
    ok(['uninstall', '--purge'], { env });
    assert.deepEqual(listing(home), {});
  });

  it('with an empty settings file, which Claude Code accepts', () => {
    const { home, skill, ok, write, parsed } = sandbox();
    write('');
    const untouched = listing(home);
    ok(['install']);
    assert.deepEqual(parsed(), { hooks: onlyOurs(join(skill, 'dist')), permissions });
    ok(['uninstall']);
    assert.deepEqual(listing(home), untouched);
  });

  it('umask does not matter', () => {
    const { home, skill } = sandbox();
    const result = spawnSync('sh', ['-c', `umask 077; exec node '${packageRoot}/dist/cli.cjs' install`], {
      env: { PATH: process.env.PATH, HOME: home },
      cwd: home,
    });
    assert.equal(result.status, 0);
    assert.equal(statSync(skill).mode & 0o777, 0o755);
    assert.equal(statSync(join(skill, 'dist/guard.cjs')).mode & 0o777, 0o644);
  });
});

describe('other people in settings.json', () => {
  it('keep their hooks on the same events and matchers', () => {
    const { skill, ok, write, parsed } = sandbox();
    write(JSON.stringify(THEIRS, null, 2));
    ok(['install']);
    const { hooks, ...rest } = parsed();
    const ours = groups(join(skill, 'dist'));
    assert.deepEqual(hooks, {
      PreToolUse: [...THEIRS.hooks.PreToolUse, ours.PreToolUse],
      SessionStart: [...THEIRS.hooks.SessionStart, ours.SessionStart],
      Stop: [],
      PostToolUseFailure: [ours.PostToolUseFailure],
    });
    assert.deepEqual(Object.keys(parsed()), Object.keys(THEIRS));
    assert.deepEqual(rest.permissions, { ...THEIRS.permissions, deny: RULES });
    assert.deepEqual({ ...rest, hooks: THEIRS.hooks, permissions: THEIRS.permissions }, { ...THEIRS });
  });

  const spread = JSON.stringify(THEIRS, null, 2);
  const layouts: Record<string, string> = {
    'two spaces': `${spread}\n`,
    'four spaces, no newline at the end': JSON.stringify(THEIRS, null, 4),
    tabs: `${JSON.stringify(THEIRS, null, '\t')}\n`,
    CRLF: `${spread.replaceAll('\n', '\r\n')}\r\n`,
    BOM: `\ufeff${spread}\n`,
    'one line': JSON.stringify(THEIRS),
    'hooks on one line': '{\n  "a": 1,\n  "hooks": { "PreToolUse": [] }\n}\n',
    'empty hooks': '{\n\t"hooks": {},\n\t"b": "\\u00e9 \ud83d\ude00 }{"\n}',
    'blank lines and odd spaces': '\n\n{ "x" :1 ,\n\n      "hooks":{"SessionStart":[ ] } }  \n\n',
    'empty object': '{}',
  };
  for (const [name, text] of Object.entries(layouts)) {
    it(`every byte of theirs survives: ${name}`, () => {
      const { home, settings, skill, ok, write, read, parsed } = sandbox();
      write(text);
      chmodSync(settings, 0o640);
      const untouched = listing(home);
      ok(['install']);
      const installed = read();
      const theirs = JSON.parse(text.replace(/^\ufeff/, ''));
      for (const [event, group] of Object.entries(groups(join(skill, 'dist')))) {
        assert.deepEqual(parsed().hooks[event], [...(theirs.hooks?.[event] ?? []), group]);
      }
      assert.equal(installed.startsWith('\ufeff'), text.startsWith('\ufeff'));
      assert.equal(/\n*$/.exec(installed)?.[0], /\n*$/.exec(text)?.[0]);
      if (text.includes('\r\n')) assert.doesNotMatch(installed, /[^\r]\n/);
      if (name === 'tabs') assert.doesNotMatch(installed, /\n +/);
      if (name === 'one line') assert.doesNotMatch(installed, /\n|": /);
      assert.equal(statSync(settings).mode & 0o777, 0o640);

      const before = listing(home);
      assert.match(ok(['install']).stdout, /nothing to change/);
      assert.deepEqual(listing(home), before);

      ok(['uninstall']);
      assert.deepEqual(listing(home), untouched);
    });
  }

  it('what they write between install and uninstall survives', () => {
    const { home, settings, ok, write, read } = sandbox();
    const text = `${JSON.stringify(THEIRS, null, 2)}\n`;
    write(text);
    ok(['install']);
    write(read().replace('"opus"', '"sonnet"'));
    const { stdout } = ok(['uninstall']);
    assert.match(stdout, /our hooks and rules taken out/);
    assert.deepEqual(Object.keys(listing(home)), [dirname(settings), settings]);
    assert.equal(read(), text.replace('"opus"', '"sonnet"'));
  });

  it('what they write into a file that we made survives; only ours alone goes with the file', () => {
    const { home, claude, settings, ok, write, read } = sandbox();
    ok(['install']);
    write(read().replace('{\n', '{\n  "model": "opus",\n'));
    ok(['uninstall']);
    assert.equal(read(), '{\n  "model": "opus"\n}\n');
    rmSync(claude, { recursive: true });
    ok(['install']);
    write(JSON.stringify(JSON.parse(read())));
    ok(['uninstall']);
    assert.deepEqual(listing(home), {});
    assert.ok(!existsSync(settings));
  });

  it('a re-install after their edit does not let uninstall bring the old file back', () => {
    const { ok, write, read, parsed } = sandbox();
    write('{"model":"opus"}');
    ok(['install']);
    write(JSON.stringify({ ...parsed(), model: 'sonnet' }));
    ok(['install']);
    ok(['uninstall']);
    assert.equal(read(), '{"model":"sonnet"}');
  });

  it('hooks that they deleted come back, and the new state is the one restored', () => {
    const { home, ok, write, read } = sandbox();
    write('{"model":"opus"}\n');
    ok(['install']);
    write('{"model":"haiku"}\n');
    ok(['install']);
    assert.ok(isRegistered(read()));
    ok(['uninstall']);
    assert.equal(read(), '{"model":"haiku"}\n');
    assert.equal(Object.keys(listing(home)).length, 2);
  });

  it('a damaged backup is not restored', () => {
    const { claude, ok, write, read } = sandbox();
    write('{"model":"opus"}\n');
    ok(['install']);
    writeFileSync(join(claude, backups(claude)[0] as string), '{}');
    ok(['uninstall']);
    assert.equal(read(), '{"model":"opus"}\n');
  });
});

describe('settings that cannot be merged are left alone, and nothing else is done', () => {
  const cases: [name: string, text: string | Buffer, where: RegExp][] = [
    ['not JSON', '{\n  "model": opus\n}', /line 2, column 12: not valid JSON: expected a value, found `o`/],
    ['a comment', '// mine\n{}', /line 1, column 1: not valid JSON/],
    ['a trailing comma', '{\r\n  "a": 1,\r\n}', /line 3, column 1: not valid JSON: expected a key/],
    ['cut off', '{"hooks": {"Stop": [', /line 1, column 21: .*the end of the file/],
    ['something behind it', '{}\n{}', /line 2, column 1: /],
    ['an open string', '{"a": "b\n"}', /line 1, column 7: .*not closed/],
    ['a number that breaks off', '{"a": 1.}', /line 1, column 7: .*a number that is not finished/],
    ['a key without quotes', '{a: 1}', /line 1, column 2: .*expected a key in double quotes, found `a`/],
    ['no colon', '{"a" 1}', /line 1, column 6: .*expected `:`, found `1`/],
    ['no comma', '{"a": [1 2]}', /line 1, column 10: .*expected `,` or `]`, found `2`/],
    ['nested too deep', '['.repeat(5000), /nested deeper/],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8/],
    ['an array', '[]', /not an object/],
    ['null', 'null', /not an object/],
    ['hooks is an array', '{\n  "hooks": []\n}', /line 2, column 12: `hooks` is not an object/],
    ['hooks is null', '{"hooks":null}', /`hooks` is not an object/],
    ['an event is an object', '{"hooks":{"PreToolUse":{}}}', /`hooks.PreToolUse` is not an array/],
    ['a group is a string', '{"hooks":{"PreToolUse":["x"]}}', /not an object/],
    ['a group without hooks', '{"hooks":{"Stop":[{"matcher":"x"}]}}', /has no `hooks`/],
    ['hooks of a group are an object', '{"hooks":{"SessionStart":[{"hooks":{}}]}}', /not an array/],
    ['a hook is a string', '{"hooks":{"SessionStart":[{"hooks":["x"]}]}}', /not an object/],
    ['permissions are an array', '{\n  "permissions": []\n}', /line 2, column 18: `permissions` is not an object/],
    ['permissions are null', '{"permissions":null}', /`permissions` is not an object/],
    ['deny is a string', '{"permissions":{"deny":"Edit"}}', /`permissions.deny` is not an array/],
    ['deny is an object', '{"permissions":{"allow":[],"deny":{}}}', /`permissions.deny` is not an array/],
    ['allow is a number', '{"permissions":{"allow":5}}', /`permissions.allow` is not an array/],
    ['a matcher is a number', '{"hooks":{"PreToolUse":[{"matcher":5,"hooks":[]}]}}', /not a string/],
  ];
  for (const [name, text, where] of cases) {
    it(name, () => {
      const { home, settings, run, write } = sandbox();
      write(text);
      const untouched = listing(home);
      for (const args of [['install'], ['install', '--dry-run']]) {
        const { exit, stderr } = run(args);
        assert.equal(exit, 2);
        assert.match(stderr, where);
        assert.ok(stderr.includes(settings), stderr);
        assert.match(stderr, /Nothing was changed/);
        assert.deepEqual(listing(home), untouched);
      }
    });
  }

  it('nor does uninstall touch what it cannot read', () => {
    const { home, ok, run, write, read } = sandbox();
    ok(['install']);
    write(read().slice(0, -4));
    const untouched = listing(home);
    assert.equal(run(['uninstall']).exit, 2);
    assert.deepEqual(listing(home), untouched);
  });

  it('an event that we do not use may have any shape, as for Claude Code', () => {
    const { ok, write, parsed } = sandbox();
    write('{"hooks":{"Stop":{}}}');
    ok(['install']);
    assert.deepEqual(parsed().hooks.Stop, {});
  });

  it('a folder in the place of the file', () => {
    const { home, settings, run } = sandbox();
    mkdirSync(settings, { recursive: true });
    const untouched = listing(home);
    assert.equal(run(['install']).exit, 2);
    assert.deepEqual(listing(home), untouched);
  });
});

describe('the backup', () => {
  it('holds the bytes from before, with their mode, and is made once', () => {
    const { claude, settings, ok, write } = sandbox();
    write('{"a":1}');
    chmodSync(settings, 0o600);
    ok(['install']);
    ok(['install']);
    const [name, ...more] = backups(claude);
    assert.match(name as string, /^settings\.json\.konnichiwagwan-\d{8}T\d{6}Z\.bak$/);
    assert.deepEqual(more, []);
    assert.equal(readFileSync(join(claude, name as string), 'utf8'), '{"a":1}');
    assert.equal(statSync(join(claude, name as string)).mode & 0o777, 0o600);
  });

  it('of others stays', () => {
    const { home, claude, ok, write } = sandbox();
    write('{"a":1}');
    write('x', join(claude, 'settings.json.konnichiwagwan-mine.bak'));
    write('x', join(claude, 'settings.json.20200101T000000Z.bak'));
    const untouched = listing(home);
    ok(['install']);
    ok(['uninstall']);
    assert.deepEqual(listing(home), untouched);
  });
});

describe('--dry-run', () => {
  it('shows every change and writes nothing', () => {
    const { root, home, skill, settings, ok, write } = sandbox();
    write(`${JSON.stringify(THEIRS, null, 2)}\n`);
    const untouched = listing(root);
    const { stdout } = ok(['install', '--dry-run']);
    assert.deepEqual(listing(root), untouched);
    for (const file of FILES) assert.ok(stdout.includes(join(skill, file)), file);
    assert.ok(stdout.includes(`update ${settings}`));
    assert.match(stdout, /create .*settings\.json\.konnichiwagwan-.*\.bak/);
    assert.match(stdout, /^ +\+ +"matcher": "mcp__\.\*"/m);
    assert.match(stdout, /Nothing was written/);

    ok(['install']);
    const installed = listing(root);
    assert.match(ok(['uninstall', '--dry-run']).stdout, /^ +- +"matcher": "mcp__\.\*"/m);
    assert.deepEqual(listing(root), installed);
    ok(['uninstall']);
    assert.deepEqual(listing(home), untouchedIn(untouched, home));
  });

  it('shows no secret of a settings file on one line', () => {
    const { ok, write } = sandbox();
    write(JSON.stringify(THEIRS));
    const { stdout } = ok(['install', '--dry-run', '--json']);
    assert.doesNotMatch(stdout, /sk-very-secret/);
    assert.match(stdout, /API_KEY/);
  });

  it('shows what nobody sees, and the tabs of a settings file as they are', () => {
    const { ok, write } = sandbox();
    write('{\n\t"name\u3164\u200b": 1\n}\n');
    assert.match(ok(['install', '--dry-run']).stdout, /\t"name\\u\{3164\}\\u\{200b\}": 1/);
  });
});

const untouchedIn = (all: Record<string, string>, folder: string): Record<string, string> =>
  Object.fromEntries(Object.entries(all).filter(([path]) => path.startsWith(`${folder}/`)));

it('--json tells the same facts', () => {
  const { skill, settings, claude, ok, write } = sandbox();
  write('{}');
  const { data, warnings } = JSON.parse(ok(['install', '--json']).stdout);
  assert.deepEqual(warnings, []);
  assert.equal(data.changed, true);
  assert.equal(data.version, '1.2.3');
  assert.deepEqual(
    data.skill.created.toSorted?.() ?? [...data.skill.created].sort(),
    FILES.filter((file) => file !== 'install.json'),
  );
  assert.equal(data.skill.path, skill);
  assert.equal(data.settings.path, settings);
  assert.equal(data.settings.action, 'update');
  assert.equal(data.settings.backup, join(claude, backups(claude)[0] as string));
  assert.deepEqual(
    data.settings.hooks.map((one: { event: string }) => one.event),
    ['SessionStart', 'PreToolUse', 'PostToolUseFailure'],
  );
  assert.equal(JSON.parse(ok(['install', '--json']).stdout).data.changed, false);
  const removed = JSON.parse(ok(['uninstall', '--json']).stdout).data;
  assert.equal(removed.settings.action, 'restore');
  assert.equal(removed.installed, true);
  assert.equal(removed.removed.length, FILES.length + 1);
});

describe('links', () => {
  it('settings are written through a link, which stays', () => {
    const { root, home, claude, settings, ok, parsed } = sandbox();
    const dotfiles = join(root, 'dotfiles');
    mkdirSync(dotfiles);
    mkdirSync(claude);
    writeFileSync(join(dotfiles, 'claude.json'), '{"a":1}\n', { mode: 0o600 });
    symlinkSync('../../dotfiles/claude.json', settings);
    const untouched = listing(root);
    ok(['install']);
    assert.ok(lstatSync(settings).isSymbolicLink());
    assert.ok(parsed(join(dotfiles, 'claude.json')).hooks.PreToolUse);
    assert.deepEqual(readdirSync(dotfiles), ['claude.json']);
    assert.equal(statSync(join(dotfiles, 'claude.json')).mode & 0o777, 0o600);
    assert.equal(backups(claude).length, 1);
    ok(['uninstall']);
    assert.deepEqual(listing(root), untouched);
    assert.ok(existsSync(home));
  });

  it('a link to a file that is not there yet', () => {
    const { root, claude, settings, ok } = sandbox();
    mkdirSync(claude);
    symlinkSync(join(root, 'later.json'), settings);
    const untouched = listing(root);
    ok(['install']);
    assert.ok(existsSync(join(root, 'later.json')));
    ok(['uninstall']);
    assert.deepEqual(listing(root), untouched);
  });

  it('a link in a circle', () => {
    const { home, claude, settings, run } = sandbox();
    mkdirSync(claude);
    symlinkSync('settings.json', settings);
    const untouched = listing(home);
    assert.equal(run(['install']).exit, 2);
    assert.deepEqual(listing(home), untouched);
  });

  it('a skill folder that is a link (to a checkout, say) is not written into', () => {
    const { root, claude, skill, run } = sandbox();
    mkdirSync(join(root, 'checkout'));
    mkdirSync(join(claude, 'skills'), { recursive: true });
    symlinkSync(join(root, 'checkout'), skill);
    const untouched = listing(root);
    const { exit, stderr } = run(['install']);
    assert.equal(exit, 2);
    assert.match(stderr, /is a link to/);
    assert.deepEqual(listing(root), untouched);
  });
});

it('paths with spaces, quotes, dollars and letters of all kinds', () => {
  const { home, skill, ok, parsed, write } = sandbox(`it's "here" $HOME \\ ünï 日本 `);
  write('{}');
  const untouched = listing(home);
  ok(['install']);
  assert.deepEqual(parsed().hooks, onlyOurs(join(skill, 'dist')));
  // As Claude Code starts it: no shell.
  const { command, args } = parsed().hooks.PreToolUse[0].hooks[0];
  assert.equal(spawnSync(command, args, { input: '{}', env: { PATH: process.env.PATH, HOME: home } }).status, 0);
  assert.match(ok(['install']).stdout, /nothing to change/);
  ok(['uninstall']);
  assert.deepEqual(listing(home), untouched);
});

describe('rules that leave approving to people', () => {
  const spread = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  const recordOf = (skill: string) => JSON.parse(readFileSync(join(skill, 'install.json'), 'utf8'));

  it('are shown before they come and before they go, and are told as JSON', () => {
    const { ok, write } = sandbox();
    write(spread({ permissions: { deny: [RULES[0], 'Bash(rm:*)'] } }));
    const shown = ok(['install', '--dry-run']).stdout;
    for (const rule of RULES.slice(1))
      assert.ok(shown.includes(`+    ${JSON.stringify(rule)}`.replace('+', '+  ')), rule);
    const { rules } = JSON.parse(ok(['install', '--json']).stdout).data.settings;
    assert.deepEqual(rules, { wanted: RULES, added: RULES.slice(1) });
    const gone = ok(['uninstall', '--dry-run']).stdout;
    for (const rule of RULES.slice(1)) assert.match(gone, new RegExp(`-.*${rule.replace(/[^\w ]/g, '\\$&')}`));
  });

  for (const edited of [false, true]) {
    it(`that somebody had before stay${edited ? ', also if the settings were edited since' : ''}`, () => {
      const { settings, ok, write, read, parsed } = sandbox();
      const text = spread({ model: 'opus', permissions: { deny: [RULES[2], 'Bash(rm:*)', RULES[0]], allow: [] } });
      write(text);
      ok(['install']);
      assert.deepEqual(parsed().permissions.deny.slice(0, 3), [RULES[2], 'Bash(rm:*)', RULES[0]]);
      assert.deepEqual([...parsed().permissions.deny].sort(), [...RULES, 'Bash(rm:*)'].sort());
      if (edited) write(read().replace('opus', 'haiku'));
      const { stdout } = ok(['uninstall']);
      assert.equal(read(), edited ? text.replace('opus', 'haiku') : text);
      assert.ok(stdout.includes(`${settings} (its 2 rules like ours`), stdout);
    });
  }

  it('leave no empty list or object behind, but those that were there', () => {
    for (const before of [{ a: 1 }, { a: 1, permissions: {} }, { a: 1, permissions: { allow: ['x'], deny: [] } }]) {
      const { ok, write, parsed } = sandbox();
      write(spread(before));
      ok(['install']);
      write(spread({ ...parsed(), a: 2 }));
      ok(['uninstall']);
      assert.deepEqual(parsed(), { ...before, a: 2 });
    }
  });

  it('that somebody added besides ours stay, and so does what holds them', () => {
    const { ok, write, parsed } = sandbox();
    ok(['install']);
    const { deny } = parsed().permissions;
    write(spread({ ...parsed(), permissions: { deny: ['Read(.env)', ...deny, RULES[3]] } }));
    ok(['install']);
    ok(['uninstall']);
    assert.deepEqual(parsed(), { permissions: { deny: ['Read(.env)', RULES[3]] } });
  });

  it('come with an update of a version that had none, and go with it', () => {
    const { home, skill, ok, write, read, parsed } = sandbox();
    write('{"model":"opus"}');
    const untouched = listing(home);
    ok(['install']);
    const { permissions: _, ...old } = parsed();
    write(JSON.stringify(old));
    const record = recordOf(skill);
    delete record.settings.rules;
    record.settings.made = record.settings.made.filter((pointer: string) => pointer.startsWith('/hooks'));
    record.settings.after = createHash('sha256').update(read()).digest('hex');
    writeFileSync(join(skill, 'install.json'), `${JSON.stringify(record, null, 2)}\n`);

    assert.match(ok(['install']).stdout, /Installed/);
    assert.deepEqual(parsed(), { ...old, permissions });
    assert.deepEqual(recordOf(skill).settings.rules, RULES);
    assert.match(ok(['install']).stdout, /nothing to change/);
    ok(['uninstall']);
    assert.deepEqual(listing(home), untouched);
  });

  it('of an older version make room for those of now', () => {
    const { home, skill, ok, write, parsed } = sandbox();
    write(spread({ model: 'opus' }));
    const untouched = listing(home);
    ok(['install']);
    const older = [...RULES.slice(0, 2), 'Bash(*konnichiwagwan approve*)', 'Bash(*kwg approve*)'];
    write(spread({ ...parsed(), permissions: { deny: ['Bash(rm:*)', ...older] } }));
    const record = recordOf(skill);
    record.settings.rules = older;
    writeFileSync(join(skill, 'install.json'), JSON.stringify(record));
    ok(['install']);
    assert.deepEqual(parsed().permissions.deny.toSorted(), ['Bash(rm:*)', ...RULES].toSorted());
    ok(['uninstall']);
    assert.deepEqual(parsed(), { model: 'opus', permissions: { deny: ['Bash(rm:*)'] } });
    assert.deepEqual(Object.keys(listing(home)), Object.keys(untouched));
  });

  it('come back when they were lost, and are taken out of what was there then', () => {
    const { ok, write, read, parsed } = sandbox();
    ok(['install']);
    const { hooks } = parsed();
    write(spread({ hooks, permissions: { deny: RULES.slice(0, 2) } }));
    ok(['install']);
    assert.deepEqual(parsed().permissions, permissions);
    // Only the hooks are lost: what is there is not taken for the state before us.
    write(spread({ a: 1, permissions }));
    ok(['install']);
    ok(['uninstall']);
    assert.equal(read(), spread({ a: 1 }));
  });

  it('odd entries between them do not matter', () => {
    const { ok, write, read, parsed } = sandbox();
    const text = '{"permissions":{"deny":[null,{"a":[]},3]}}';
    write(text);
    ok(['install']);
    assert.deepEqual(parsed().permissions.deny, [null, { a: [] }, 3, ...RULES]);
    ok(['uninstall']);
    assert.equal(read(), text);
  });

  it('name the state folder wherever it is, by its real name too', () => {
    const { root, home, ok, parsed } = sandbox();
    const stateRules = (folder: string): string[] => {
      ok(['install'], { env: { KONNICHIWAGWAN_HOME: folder } });
      const { deny } = parsed().permissions;
      assert.equal(deny.length, new Set(deny).size);
      return deny.filter((rule: string) => rule.startsWith('Edit(') && rule !== RULES[0]);
    };
    assert.deepEqual(stateRules(join(home, 'my state')), ['Edit(~/my state/**)']);
    assert.deepEqual(stateRules(join(root, 'far [away]*')), [`Edit(/${root}/far \\[away\\]\\*/**)`]);
    assert.deepEqual(stateRules(home), [`Edit(/${home}/**)`]);
    mkdirSync(join(root, 'real'));
    symlinkSync(join(root, 'real'), join(home, 'link'));
    assert.deepEqual(stateRules(join(home, 'link/state')), ['Edit(~/link/state/**)', `Edit(/${root}/real/state/**)`]);
    ok(['uninstall']);
    assert.deepEqual(Object.keys(listing(home)), [join(home, 'link')]);
  });

  it('of a project name no folder of this machine, and that is said where it matters', () => {
    const { root, project, ok, read } = sandbox();
    const env = { KONNICHIWAGWAN_HOME: join(root, 'moved') };
    const { warnings } = JSON.parse(ok(['install', '--project', '--json'], { env }).stdout);
    assert.match(warnings.join(), /moved is not protected/);
    assert.doesNotMatch(read(join(project, '.claude/settings.json')), /moved/);
  });

  it('doctor says whether they are there, were never there, or were lost', () => {
    const { home, project, ok, run, write, parsed } = sandbox();
    const rules = (env = {}) => {
      const { stdout } = run(['doctor', '--json'], { cli: join(repository, 'dist/cli.cjs'), env });
      return JSON.parse(stdout).data.checks.find((check: { name: string }) => check.name === 'rules');
    };
    assert.equal(rules().state, 'note');
    assert.match(rules({ CLAUDE_PLUGIN_ROOT: packageRoot }).hint, /konnichiwagwan install .*disable the plugin/);
    ok(['install', '--project']);
    assert.equal(rules().state, 'ok');
    write('{"permissions":[]}', join(project, '.claude/settings.json'));
    assert.match(rules().hint, /install --project$/);
    ok(['install']);
    assert.equal(rules().state, 'ok');
    rmSync(join(project, '.claude'), { recursive: true });
    write(JSON.stringify({ ...parsed(), permissions: { deny: RULES.slice(1) } }));
    const { state, detail } = rules();
    assert.equal(state, 'wrong');
    assert.ok(detail.includes(home) && detail.includes(RULES[0]), detail);
  });
});

describe('--project', () => {
  const folder = '$' + '{CLAUDE_PROJECT_DIR}/.claude/skills/konnichiwagwan/dist';

  it('installs into the project alone, with paths that can be committed', () => {
    const { home, project, ok, parsed } = sandbox();
    writeFileSync(join(project, 'README.md'), 'x');
    const untouched = listing(project);
    ok(['install', '--project']);
    const claude = join(project, '.claude');
    assert.deepEqual(parsed(join(claude, 'settings.json')), { hooks: onlyOurs(folder), permissions });
    assert.deepEqual(readdirSync(claude).sort(), ['settings.json', 'skills']);
    assert.deepEqual(listing(home), {});
    for (const file of ['settings.json', 'skills/konnichiwagwan/install.json']) {
      assert.ok(!readFileSync(join(claude, file), 'utf8').includes(project), `${file} names this machine's folder`);
    }
    assert.match(ok(['install', '--project']).stdout, /nothing to change/);
    assert.match(ok(['uninstall']).stdout, /not installed/);
    ok(['uninstall', '--project']);
    assert.deepEqual(listing(project), untouched);
  });

  it('keeps what the project had', () => {
    const { project, ok, write } = sandbox();
    write(JSON.stringify(THEIRS, null, '\t'), join(project, '.claude/settings.json'));
    write('{}', join(project, '.claude/settings.local.json'));
    const untouched = listing(project);
    ok(['install', '--project']);
    ok(['uninstall', '--project', '--purge']);
    assert.deepEqual(listing(project), untouched);
  });

  it('is refused where the "project" is the home folder', () => {
    const { home, run } = sandbox();
    assert.equal(run(['install', '--project'], { cwd: home }).exit, 2);
    assert.deepEqual(listing(home), {});
  });

  it('beside an installation for all projects: says so', () => {
    const { ok } = sandbox();
    ok(['install']);
    const { warnings } = JSON.parse(ok(['install', '--project', '--json']).stdout);
    assert.match(warnings.join(), /Installed in .* as well/);
  });
});

describe('--purge', () => {
  const STATE = ['config.json', 'session_schema.json', 'sessions/a.json', 'live/x.json', 'activity/2026-01-01.jsonl'];

  it('removes the state, and with it the last trace', () => {
    const { home, claude, ok, write } = sandbox();
    ok(['install']);
    for (const file of [...STATE, 'config.json.12.0.tmp']) write('{}', join(claude, 'konnichiwagwan', file));
    ok(['uninstall', '--purge']);
    assert.deepEqual(listing(home), {});
  });

  it('without it the state stays', () => {
    const { claude, ok, write } = sandbox();
    ok(['install']);
    for (const file of STATE) write('{}', join(claude, 'konnichiwagwan', file));
    ok(['uninstall']);
    assert.deepEqual(readdirSync(claude), ['konnichiwagwan']);
    assert.match(ok(['uninstall', '--purge']).stdout, /Removed/);
    assert.deepEqual(readdirSync(claude), []);
  });

  it('leaves a foreign file and says so', () => {
    const { root, ok, write } = sandbox();
    const state = join(root, 'my state');
    const env = { KONNICHIWAGWAN_HOME: state };
    ok(['install'], { env });
    for (const file of [...STATE, 'diary.txt', 'photos/cat.jpg']) write('{}', join(state, file));
    const { stdout } = ok(['uninstall', '--purge'], { env });
    assert.deepEqual(readdirSync(state).sort(), ['diary.txt', 'photos']);
    assert.match(stdout, /kept .*diary\.txt \(not ours\)/);
  });

  it("never touches a home, Claude Code's folder or the current one", () => {
    const { home, claude, project, ok, write } = sandbox();
    for (const folder of [home, claude, project]) write('{}', join(folder, 'sessions/theirs.json'));
    for (const state of [home, claude, project, '/', '.', '..']) {
      const before = listing(dirname(home));
      const env = { KONNICHIWAGWAN_HOME: state };
      assert.match(ok(['uninstall', '--purge'], { env }).stdout, /kept .*\(it holds/);
      assert.deepEqual(listing(dirname(home)), before);
    }
  });

  it("of a project leaves the state that the user's own installation needs", () => {
    const { claude, ok, write } = sandbox();
    ok(['install']);
    ok(['install', '--project']);
    write('{}', join(claude, 'konnichiwagwan/config.json'));
    assert.match(ok(['uninstall', '--project', '--purge']).stdout, /kept .*for all projects uses it/);
    assert.ok(existsSync(join(claude, 'konnichiwagwan/config.json')));
  });
});

describe('a newer version', () => {
  /** The package with one file more, one changed, as an older version would have been. */
  const older = (root: string): string => {
    const folder = join(root, 'older');
    cpSync(packageRoot, folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"version":"1.0.0"}');
    writeFileSync(join(folder, 'dist/guard.cjs'), '// the old guard\n');
    writeFileSync(join(folder, 'dist/retired.cjs'), '');
    mkdirSync(join(folder, 'skills/konnichiwagwan/references/old'));
    writeFileSync(join(folder, 'skills/konnichiwagwan/references/old/x.md'), '');
    return join(folder, 'dist/cli.cjs');
  };

  it('replaces the files, removes the retired ones, keeps foreign ones and does not rewrite identical ones', () => {
    const { root, home, skill, ok, write } = sandbox();
    write('{"a":1}');
    const untouched = listing(home);
    ok(['install'], { cli: older(root) });
    writeFileSync(join(skill, 'references/my notes.md'), 'mine');
    const before = statSync(join(skill, 'SKILL.md'), { bigint: true });
    const { data } = JSON.parse(ok(['install', '--json']).stdout);
    assert.deepEqual(data.skill.updated, ['dist/guard.cjs']);
    assert.deepEqual(data.skill.removed, ['dist/retired.cjs', 'references/old/x.md']);
    assert.deepEqual(data.skill.kept, ['references/my notes.md']);
    assert.equal(data.settings.action, 'unchanged');
    const now = statSync(join(skill, 'SKILL.md'), { bigint: true });
    assert.deepEqual([now.ino, now.mtimeNs], [before.ino, before.mtimeNs]);
    assert.equal(readFileSync(join(skill, 'dist/guard.cjs'), 'utf8'), '// guard\n');
    assert.ok(!existsSync(join(skill, 'references/old')));
    assert.deepEqual(readdirSync(dirname(skill)), ['konnichiwagwan']);
    rmSync(join(skill, 'references/my notes.md'));
    ok(['uninstall']);
    assert.deepEqual(listing(home), untouched);
  });

  it('says what it leaves in the skill folder', () => {
    const { skill, ok } = sandbox();
    ok(['install']);
    writeFileSync(join(skill, 'references/my notes.md'), 'mine');
    assert.match(ok(['uninstall']).stdout, /kept .*my notes\.md \(not ours\)/);
    assert.deepEqual(
      Object.keys(listing(skill)).map((path) => path.slice(skill.length + 1)),
      ['references', 'references/my notes.md'],
    );
  });

  it('puts its registration in the place of an older one, never a second', () => {
    const { skill, ok, write, parsed } = sandbox();
    const audit = { type: 'command', command: '/opt/audit.sh' };
    const old = '/somewhere/else/.claude/skills/konnichiwagwan/dist';
    write(
      JSON.stringify({
        hooks: {
          SessionStart: [
            { hooks: [{ type: 'command', command: `node "${old}/session-start.cjs"`, timeout: 5 }] },
            { hooks: [audit] },
          ],
          PreToolUse: [
            { matcher: 'mcp__.*', hooks: [hook(old, 'guard', { timeout: 60 }), audit] },
            { matcher: 'mcp__.*', hooks: [hook(old, 'guard')] },
            { matcher: 'mcp__.*', hooks: [hook('/elsewhere/dist', 'guard')] },
          ],
          PostToolUse: [{ matcher: 'mcp__.*', hooks: [hook(old, 'tool-failure')] }],
          PostToolUseFailure: [{ matcher: 'mcp__old', hooks: [hook(old, 'tool-failure')] }],
        },
      }),
    );
    ok(['install']);
    const ours = groups(join(skill, 'dist'));
    assert.deepEqual(parsed().hooks, {
      SessionStart: [ours.SessionStart, { hooks: [audit] }],
      PreToolUse: [
        { matcher: 'mcp__.*', hooks: [ours.PreToolUse.hooks[0], audit] },
        { matcher: 'mcp__.*', hooks: [hook('/elsewhere/dist', 'guard')] },
      ],
      PostToolUseFailure: [ours.PostToolUseFailure],
    });
    assert.match(ok(['install']).stdout, /nothing to change/);
    ok(['uninstall']);
    assert.deepEqual(parsed().hooks, {
      SessionStart: [{ hooks: [audit] }],
      PreToolUse: [
        { matcher: 'mcp__.*', hooks: [audit] },
        { matcher: 'mcp__.*', hooks: [hook('/elsewhere/dist', 'guard')] },
      ],
    });
  });
});

describe('the installed copy', () => {
  it('installs and removes itself', () => {
    const { home, skill, settings, ok } = sandbox();
    ok(['install']);
    const cli = join(skill, 'dist/cli.cjs');
    const installed = listing(home);
    assert.match(ok(['install'], { cli }).stdout, /nothing to change/);
    assert.deepEqual(listing(home), installed);
    rmSync(settings);
    ok(['install'], { cli });
    assert.ok(isRegistered(readFileSync(settings, 'utf8')));
    ok(['uninstall', '--purge'], { cli, cwd: join(skill, 'dist') });
    assert.deepEqual(listing(home), {});
  });

  it('can be installed from into a project', () => {
    const { project, skill, ok } = sandbox();
    ok(['install']);
    ok(['install', '--project'], { cli: join(skill, 'dist/cli.cjs') });
    const copy = join(project, '.claude/skills/konnichiwagwan');
    for (const file of FILES) assert.ok(existsSync(join(copy, file)), file);
    ok(['uninstall', '--project'], { cli: join(copy, 'dist/cli.cjs') });
    assert.deepEqual(listing(project), {});
  });

  it('that lost its record, or was copied by hand, is taken over', () => {
    const { claude, skill, ok, parsed } = sandbox();
    ok(['install']);
    rmSync(join(skill, 'install.json'));
    writeFileSync(join(skill, 'dist/retired.cjs'), '');
    ok(['install']);
    assert.ok(!existsSync(join(skill, 'dist/retired.cjs')));
    assert.equal(parsed().hooks.PreToolUse.length, 1);
    assert.match(ok(['uninstall']).stdout, /kept .*settings\.json \(its 6 rules like ours/);
    assert.deepEqual(readdirSync(claude).sort(), ['settings.json', 'skills']);
    // Whose the rules are, nothing tells any more: then they stay.
    assert.deepEqual(parsed(), { permissions });
  });

  it('a record that names files outside is not believed', () => {
    const { root, skill, ok } = sandbox();
    ok(['install']);
    const record = JSON.parse(readFileSync(join(skill, 'install.json'), 'utf8'));
    writeFileSync(join(root, 'precious'), 'x');
    record.files.push('../../../../precious');
    writeFileSync(join(skill, 'install.json'), JSON.stringify(record));
    ok(['uninstall']);
    assert.ok(existsSync(join(root, 'precious')));
    assert.ok(!existsSync(skill));
  });
});

describe('accidents', () => {
  it('a link to a checkout in the place of the skill folder survives uninstall, files and all', () => {
    const { root, claude, skill, ok } = sandbox();
    const checkout = join(root, 'checkout');
    cpSync(join(packageRoot, 'skills/konnichiwagwan'), checkout, { recursive: true });
    mkdirSync(join(claude, 'skills'), { recursive: true });
    symlinkSync(checkout, skill);
    const untouched = listing(root);
    assert.match(ok(['uninstall']).stdout, /kept .*skills\/konnichiwagwan/);
    assert.deepEqual(listing(root), untouched);
  });

  it("somebody else's skill of that name is not touched", () => {
    const { home, skill, run } = sandbox();
    mkdirSync(skill, { recursive: true });
    writeFileSync(join(skill, 'SKILL.md'), '---\nname: greetings\n---\n');
    const untouched = listing(home);
    const { exit, stderr } = run(['install']);
    assert.equal(exit, 2);
    assert.match(stderr, /not konnichiwagwan/);
    assert.deepEqual(listing(home), untouched);
  });

  it('a package that was not built', () => {
    const { root, home, run } = sandbox();
    mkdirSync(join(root, 'half/dist'), { recursive: true });
    for (const name of PROGRAM) cpSync(join(packageRoot, 'dist', name), join(root, 'half/dist', name));
    const { exit, stderr } = run(['install'], { cli: join(root, 'half/dist/cli.cjs') });
    assert.equal(exit, 2);
    assert.match(stderr, /SKILL\.md, dist\/guard\.cjs.* missing/);
    assert.deepEqual(listing(home), {});
  });

  it('an installer that was killed between two renames is cleared up after', () => {
    const { root, home, skill, ok } = sandbox();
    ok(['install']);
    const installed = listing(home);
    // A process id that is free: of a process that just ended.
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    const staging = join(dirname(skill), `.konnichiwagwan-${pid}`);
    mkdirSync(join(staging, 'new'), { recursive: true });
    renameSync(skill, join(staging, 'old'));
    ok(['install']);
    assert.deepEqual(listing(home), installed);
    assert.ok(existsSync(root));
  });

  it('settings that cannot be written: said plainly, and nothing is left behind', {
    skip: process.getuid?.() === 0,
  }, () => {
    const { home, root, claude, settings, run } = sandbox();
    mkdirSync(join(root, 'locked'));
    mkdirSync(claude);
    writeFileSync(join(root, 'locked/settings.json'), '{}');
    symlinkSync(join(root, 'locked/settings.json'), settings);
    chmodSync(join(root, 'locked'), 0o555);
    const untouched = listing(home);
    const { exit, stderr } = run(['install']);
    assert.equal(exit, 2);
    chmodSync(join(root, 'locked'), 0o755);
    assert.match(stderr, /permission denied/);
    assert.deepEqual(listing(home), untouched);
  });

  it('settings whose folder is gone: the same', () => {
    const { home, root, claude, settings, run } = sandbox();
    mkdirSync(claude);
    symlinkSync(join(root, 'gone/settings.json'), settings);
    const untouched = listing(home);
    const { exit, stderr } = run(['install']);
    assert.equal(exit, 2);
    assert.match(stderr, /gone/);
    assert.deepEqual(listing(home), untouched);
  });

  it('several installers at once', async () => {
    const { home, skill, settings, ok } = sandbox();
    const ends = Array.from({ length: 8 }, () => {
      const child = spawn(process.execPath, [join(packageRoot, 'dist/cli.cjs'), 'install'], {
        cwd: home,
        env: { PATH: process.env.PATH, HOME: home },
        stdio: 'ignore',
      });
      return new Promise((resolve) => child.on('close', resolve));
    });
    for (const exit of await Promise.all(ends)) assert.ok(exit === 0 || exit === 2, `exit ${exit}`);
    // Some may have given way to others; whatever they left, hooks never name a file that is not there.
    if (existsSync(settings)) assert.ok(existsSync(join(skill, 'dist/guard.cjs')));
    ok(['install']);
    assert.deepEqual(JSON.parse(readFileSync(settings, 'utf8')).hooks, onlyOurs(join(skill, 'dist')));
    assert.deepEqual(readdirSync(dirname(skill)), ['konnichiwagwan']);
  });

  it('hooks switched off, or no node on the PATH: a warning', () => {
    const { ok, write } = sandbox();
    write('{"disableAllHooks":true}');
    const { warnings } = JSON.parse(ok(['install', '--json'], { env: { PATH: '/nowhere' } }).stdout);
    assert.match(warnings.join('\n'), /not on the PATH.*\n.*disableAllHooks/);
  });

  it('words that mean nothing are not ignored', () => {
    const { home, run } = sandbox();
    for (const args of [
      ['install', 'project'],
      ['uninstall', 'now'],
      ['install', '--purge'],
    ]) {
      assert.equal(run(args).exit, 2, args.join(' '));
    }
    assert.deepEqual(listing(home), {});
  });

  it('nothing installed: uninstall says so', () => {
    const { home, ok, write } = sandbox();
    assert.match(ok(['uninstall']).stdout, /not installed/);
    assert.match(ok(['uninstall', '--purge']).stdout, /not installed/);
    assert.deepEqual(listing(home), {});
    write('{ "hooks": {"PreToolUse": [] } }');
    const untouched = listing(home);
    assert.match(ok(['uninstall']).stdout, /not installed/);
    assert.deepEqual(listing(home), untouched);
  });
});

describe('install.sh', () => {
  /** A checkout with the script and the built files, and a PATH with just what the script may use. */
  const checkout = () => {
    const box = sandbox();
    const folder = join(box.root, `it's a "checkout"`);
    const bin = join(box.root, 'bin');
    cpSync(packageRoot, folder, { recursive: true });
    cpSync(join(repository, 'install.sh'), join(folder, 'install.sh'));
    mkdirSync(bin);
    for (const tool of ['bash', 'cat', 'dirname', 'mkdir', 'mktemp', 'readlink', 'rm']) {
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
    return { ...box, folder, bin, tool, real, npm, sh, calls };
  };

  it('builds, then installs: from anywhere, through links, with NODE_ENV=production', () => {
    const { root, home, project, folder, real, npm, sh, calls } = checkout();
    real();
    npm('true');
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

  it('--uninstall from a checkout that was never built uses the installed copy', () => {
    const { home, folder, real, ok, sh, calls } = checkout();
    real();
    ok(['install']);
    rmSync(join(folder, 'dist'), { recursive: true });
    const { exit, stdout } = sh(['--uninstall']);
    assert.equal(exit, 0);
    assert.match(stdout, /^Removed/);
    assert.deepEqual(calls(), []);
    assert.deepEqual(listing(home), {});
  });

  it("--demo keeps npm's cache in a temporary folder, and removes that", () => {
    const { root, home, folder, real, npm, sh, calls } = checkout();
    real();
    npm('mkdir -p "$npm_config_cache"');
    writeFileSync(join(folder, 'dist/cli.cjs'), 'console.log(process.argv.slice(2).join()); process.exitCode = 1;');
    const before = readdirSync(root);
    const { exit, stdout } = sh(['--demo']);
    assert.deepEqual([exit, stdout], [1, 'demo\n']);
    for (const call of calls()) assert.ok(call.split('|')[2]?.startsWith(`${root}/tmp.`), call);
    assert.deepEqual(
      readdirSync(root).filter((name) => name !== 'npm.log'),
      before,
    );
    assert.deepEqual(listing(home), {});
  });

  it('a failed build shows its output and installs nothing', () => {
    const { home, real, npm, sh } = checkout();
    real();
    npm('echo "npm error: the reason"; exit 7');
    const { exit, stdout, stderr } = sh([]);
    assert.equal(exit, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /npm error: the reason.*npm ci .* failed.*Nothing was installed/s);
    assert.deepEqual(listing(home), {});
  });

  it('Node missing, too old, or just new enough', () => {
    const { tool, npm, sh } = checkout();
    npm('exit 9');
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
      tool('node', `echo ${version}`);
      const { exit, stderr } = sh([]);
      assert.equal(exit, 1);
      // The fine ones get as far as the npm that fails.
      assert.match(
        stderr,
        fine ? /npm ci .* failed/ : new RegExp(`${version} is too old: 20\\.18\\.1 or newer`),
        version,
      );
    }
  });

  it('npm missing', () => {
    const { real, sh } = checkout();
    real();
    const { exit, stderr } = sh([]);
    assert.equal(exit, 1);
    assert.match(stderr, /npm is missing/);
  });

  it('wrong use', () => {
    const { home, sh } = checkout();
    for (const args of [['--frobnicate'], ['x'], ['--purge'], ['--demo', '--uninstall'], ['--demo', '--project']]) {
      const { exit, stderr } = sh(args);
      assert.equal(exit, 2, args.join(' '));
      assert.match(stderr, /usage: /);
    }
    assert.equal(sh(['--help']).exit, 0);
    assert.deepEqual(listing(home), {});
  });
});

it('any settings, in any layout: what was there stays, and taking our hooks out gives back the very text', (test) => {
  const anyHook = fc.oneof(
    fc.record({ type: fc.constant('command'), command: fc.string() }),
    fc.record({ type: fc.constant('http'), url: fc.webUrl(), timeout: fc.nat() }),
  );
  const group = fc.record(
    { matcher: fc.string(), hooks: fc.array(anyHook, { maxLength: 3 }) },
    { requiredKeys: ['hooks'] },
  );
  const event = fc.constantFrom('PreToolUse', 'SessionStart', 'PostToolUseFailure', 'Stop', '__proto__');
  const hooks = fc.dictionary(event, fc.array(group, { maxLength: 3 }), { maxKeys: 4 });
  const rest = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
  const indent = fc.constantFrom('', ' ', '  ', '    ', '\t');
  const settings = fc.tuple(rest, fc.option(hooks, { nil: undefined }), rest, indent, fc.boolean(), fc.boolean());
  const wanted = registrations('/home/x/.claude/skills/konnichiwagwan/dist');
  checkRandomly(
    test,
    fc.property(settings, ([head, ours, tail, space, crlf, bom]) => {
      const object = JSON.parse(JSON.stringify({ ...head, ...(ours ? { hooks: ours } : {}), ...tail }));
      fc.pre(!('hooks' in head) && !('hooks' in tail));
      const lines = `${JSON.stringify(object, null, space)}\n`;
      const text = (bom ? '\ufeff' : '') + (crlf ? lines.replaceAll('\n', '\r\n') : lines);
      const { text: merged, made } = register(text, wanted);
      const parsed = JSON.parse(merged.replace(/^\ufeff/, ''));
      for (const one of wanted) {
        const own = { ...(one.matcher ? { matcher: one.matcher } : {}), hooks: [one.hook] };
        assert.deepEqual(parsed.hooks[one.event], [...(object.hooks?.[one.event] ?? []), own]);
      }
      assert.equal(register(merged, wanted).text, merged);
      assert.equal(unregister(merged, made), text);
    }),
    { numRuns: 300 },
  );
});

it('any settings, in any layout: taking our rules out gives back the very text', (test) => {
  const rule = fc.oneof(fc.constantFrom(...RULES), fc.jsonValue({ maxDepth: 1 }));
  const lists = fc.record(
    { allow: fc.array(rule, { maxLength: 2 }), deny: fc.array(rule, { maxLength: 3 }), mode: fc.string() },
    { requiredKeys: [] },
  );
  const rest = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
  const indent = fc.constantFrom('', '  ', '\t');
  checkRandomly(
    test,
    fc.property(rest, fc.option(lists, { nil: undefined }), rest, indent, (head, theirs, tail, space) => {
      fc.pre(!('permissions' in head) && !('permissions' in tail));
      const object = JSON.parse(JSON.stringify({ ...head, ...(theirs ? { permissions: theirs } : {}), ...tail }));
      const text = `${JSON.stringify(object, null, space)}\n`;
      const { text: ruled, added, made } = addRules(text, RULES);
      assert.deepEqual(JSON.parse(ruled).permissions.deny, [...(object.permissions?.deny ?? []), ...added]);
      assert.deepEqual(addRules(ruled, RULES), { text: ruled, added: [], made: [] });
      assert.equal(removeRules(ruled, added, made), text);
    }),
    { numRuns: 300 },
  );
});
