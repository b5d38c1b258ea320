// A separate HOME, project and package for each test of the installer.
import assert from 'node:assert/strict';
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { after, before } from 'node:test';
import { COMPILED } from '../scripts/state/compile-cache.ts';
import { remove } from '../scripts/state/in-use.ts';
import { driveAt } from './drive.ts';

export const repository = process.cwd();
/** The built command line: its entry, and the commands that these tests run. */
export const PROGRAM = ['cli.cjs', 'run.cjs', 'install.cjs', 'uninstall.cjs'];
let base: string;
export let packageRoot: string;

before(() => {
  // realpath: on macOS the temporary folder is behind a link, and paths are compared as text.
  base = realpathSync(mkdtempSync(join(tmpdir(), 'kwg-install-')));
  packageRoot = join(base, 'package');
  for (const folder of ['dist', 'skills/konnichiwagwan/references', 'skills/konnichiwagwan/scripts']) {
    mkdirSync(join(packageRoot, folder), { recursive: true });
  }
  for (const name of PROGRAM) cpSync(join(repository, 'dist', name), join(packageRoot, 'dist', name));
  // The installer does not care what the hooks do: any bytes will do.
  for (const name of ['guard', 'judge-call', 'offers', 'session-end', 'session-start', 'tool-failure']) {
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
after(() => remove(base));

export const FILES = [
  'SKILL.md',
  ...PROGRAM.map((name) => `dist/${name}`),
  'dist/guard.cjs',
  'dist/judge-call.cjs',
  'dist/offers.cjs',
  'dist/session-end.cjs',
  'dist/session-start.cjs',
  'dist/tool-failure.cjs',
  'install.json',
  'references/states.md',
  'scripts/check_tool_freshness.sh',
  ...(process.platform === 'win32' ? [] : ['scripts/node.sh']),
].sort();

/**
 * Every path below a folder, with slashes, with its mode and contents: equal listings are byte-identical folders, but for what
 * Node compiled.
 */
export const listing = (folder: string): Record<string, string> => {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).replaceAll(sep, '/');
    if (path.includes(`/dist/${COMPILED}`)) continue;
    const stats = lstatSync(path);
    const mode = (stats.mode & 0o777).toString(8);
    if (stats.isSymbolicLink()) found[path] = `link ${readlinkSync(path)}`;
    else found[path] = stats.isDirectory() ? `folder ${mode}` : `${mode} ${readFileSync(path).toString('base64')}`;
  }
  return found;
};

let count = 0;

export const freshHome = (name?: string) => {
  count += 1;
  const root = join(base, name ?? `case ${count}`);
  const home = join(root, 'home');
  const project = join(root, 'project');
  const claude = join(home, '.claude');
  const settings = join(claude, 'settings.json');
  const skill = join(claude, 'skills/konnichiwagwan');
  mkdirSync(home, { recursive: true });
  mkdirSync(project, { recursive: true });

  /** @param cli the program, with its files beside it */
  const run = async (
    args: string[],
    {
      cwd = project,
      env = {},
      cli = join(packageRoot, 'dist/cli.cjs'),
    }: { cwd?: string; env?: NodeJS.ProcessEnv; cli?: string } = {},
  ) => {
    const { code, stdout, stderr } = await driveAt(cli, { HOME: home, ...env }, args, cwd);
    assert.doesNotMatch(stderr, /\n\s+at /, 'a stack trace');
    return { exit: code, stdout, stderr, out: stdout + stderr };
  };
  const ok = async (args: string[], options?: Parameters<typeof run>[1]) => {
    const result = await run(args, options);
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

/** What starts Node in the hooks of an installation; in one for all projects, a script that knows where Node is. */
const nodeOf = (folder: string): string =>
  folder.startsWith('$') || process.platform === 'win32' ? 'node' : join(dirname(folder), 'scripts/node.sh');

export const hook = (folder: string, script: string, more: object = {}) => ({
  type: 'command',
  command: nodeOf(folder),
  args: [`${folder}/${script}.cjs`],
  timeout: 10,
  ...more,
});

/**
 * All hooks that an installation registers, by event.
 * @param start what a project's hooks run in place of a program that may be missing
 */
export const groups = (folder: string, start?: string) => {
  const stops = (script: string) => {
    const one = hook(folder, script, { onFailure: 'block' });
    return start === undefined ? one : { ...one, args: ['-e', start, ...one.args] };
  };
  return {
    SessionStart: [{ hooks: [hook(folder, 'session-start')] }],
    PreToolUse: [
      { matcher: 'mcp__.*', hooks: [stops('guard')] },
      { matcher: '^ReadMcpResource(Dir)?Tool$', hooks: [stops('offers')] },
    ],
    PostToolUse: [{ matcher: 'ListMcpResourcesTool', hooks: [hook(folder, 'offers')] }],
    UserPromptExpansion: [{ matcher: 'mcp__.*', hooks: [hook(folder, 'offers')] }],
    PostToolUseFailure: [{ matcher: 'mcp__.*', hooks: [hook(folder, 'tool-failure')] }],
    SessionEnd: [{ hooks: [hook(folder, 'session-end')] }],
  };
};

/** The deny rules of a HOME or a project; with --project the state folder has the same name. */
export const RULES = [
  'Edit(//**/mcp-contracts.lock.json)',
  'Edit(~/.claude/konnichiwagwan/**)',
  'Bash(*konnichiwagwan* approve*)',
  'Bash(*kwg* approve*)',
  'Bash(* cli.cjs* approve*)',
  'Bash(*/cli.cjs* approve*)',
];
export const permissions = { deny: RULES };

export const backups = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith('.bak'));

export const THEIRS = {
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
