import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command, Io } from '../command/command.ts';
import { loadConfig } from '../config/config.ts';
import { isObject, type Json } from '../contract/types.ts';
import { preToolUse, runHookFile, sandbox, startSession } from '../demo/hooks.ts';
import { startGateway } from '../demo/loopback.ts';
import { AFTER, AFTER_VERSION, BEFORE, BEFORE_VERSION } from '../demo/release.ts';
import { scriptOf } from '../install/hooks.ts';
import { NAME } from '../install/layout.ts';
import { readRecord } from '../install/record.ts';
import { approvalRules } from '../install/rules.ts';
import { allSources } from '../sources/all.ts';
import type { Source } from '../sources/source.ts';
import { makeFolder, readJson, writeAtomic } from '../state/files.ts';
import { claudeHome, stateHome } from '../state/paths.ts';
import { type Paint, painter } from '../text/paint.ts';
import { plural } from '../text/plural.ts';
import { quoteName, quoteText } from '../text/quote.ts';
import { visible } from '../text/visible.ts';
import { hooksFolder } from './hooks-folder.ts';

/** One thing that was looked at. `note`: worth knowing, and nothing is wrong. */
interface Check {
  name: string;
  state: 'ok' | 'note' | 'wrong';
  detail: string;
  /** What to do about it. */
  hint?: string;
}

const NODE = [20, 18, 1];
const CLIENT_BLOCKS_ON_FAILURE = [2, 1, 295];
const CLIENT_SHOWS_ITS_TOOLS = [2, 1, 330];

const versionIn = (text: string): number[] => (/(\d+)\.(\d+)\.(\d+)/.exec(text) ?? []).slice(1).map(Number);

const atLeast = (version: number[], wanted: number[]): boolean => {
  for (const [index, part] of wanted.entries()) {
    const own = version[index] ?? 0;
    if (own !== part) return own > part;
  }
  return true;
};

const run = (command: string, env: NodeJS.ProcessEnv): string => {
  const { stdout, error } = spawnSync(command, ['--version'], { env, encoding: 'utf8', timeout: 10_000 });
  return error ? '' : stdout.trim();
};

const checkNode = ({ env }: Io): Check => {
  // Hooks are started with whatever `node` is first in the path, which need not be the one that runs this.
  const found = run('node', env);
  if (found === '')
    return {
      name: 'node',
      state: 'wrong',
      detail: 'there is no node in the PATH',
      hint: `install Node ${NODE.join('.')} or newer`,
    };
  if (atLeast(versionIn(found), NODE)) return { name: 'node', state: 'ok', detail: found };
  return {
    name: 'node',
    state: 'wrong',
    detail: `${found} is too old`,
    hint: `install Node ${NODE.join('.')} or newer`,
  };
};

const checkClient = ({ env }: Io): Check => {
  const found = run('claude', env);
  const version = versionIn(found);
  if (version.length === 0) return { name: 'Claude Code', state: 'note', detail: 'not found in the PATH' };
  const missing = [
    ...(atLeast(version, CLIENT_SHOWS_ITS_TOOLS)
      ? []
      : ['it may not write what the model sees to its transcript: then the baseline stands in']),
    ...(atLeast(version, CLIENT_BLOCKS_ON_FAILURE) ? [] : ['a guard that is killed lets the call through']),
  ];
  const detail = version.join('.');
  if (missing.length === 0) return { name: 'Claude Code', state: 'ok', detail };
  return {
    name: 'Claude Code',
    state: 'note',
    detail: `${detail}: ${missing.join('; ')}`,
    hint: 'a newer Claude Code does both',
  };
};

interface Registered {
  script: string;
  path: string;
  file: string;
}

/** Our hooks in one settings file. */
const registeredIn = (file: string, project: string): Registered[] => {
  const settings = readJson(file);
  const events = isObject(settings) && isObject(settings.hooks) ? Object.values(settings.hooks) : [];
  const hooks = events.flat().flatMap((entry) => (isObject(entry) && Array.isArray(entry.hooks) ? entry.hooks : []));
  return hooks.flatMap((hook) => {
    const script = scriptOf(hook);
    const first = isObject(hook) && Array.isArray(hook.args) ? String(hook.args[0]) : '';
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Code's own placeholder
    return script === undefined ? [] : [{ script, path: first.replace('${CLAUDE_PROJECT_DIR}', project), file }];
  });
};

/** What one settings file denies. */
const denyOf = (file: string): unknown[] => {
  const settings = readJson(file);
  const permissions = isObject(settings) ? settings.permissions : undefined;
  return isObject(permissions) && Array.isArray(permissions.deny) ? permissions.deny : [];
};

const isPlugin = (claude: string): boolean => {
  const settings = readJson(join(claude, 'settings.json'));
  const enabled =
    isObject(settings) && isObject(settings.enabledPlugins) ? Object.entries(settings.enabledPlugins) : [];
  return enabled.some(([name, on]) => name.startsWith('konnichiwagwan@') && on === true);
};

const WANTED = ['session-start', 'guard', 'tool-failure'];

const checkHooks = (io: Io, project: string): { checks: Check[]; folder: string } => {
  const claude = claudeHome(io.env);
  const files = [
    join(claude, 'settings.json'),
    join(project, '.claude/settings.json'),
    join(project, '.claude/settings.local.json'),
  ];
  const registered = [...new Set(files)].flatMap((file) => registeredIn(file, project));
  if (registered.length === 0) {
    if (io.env.CLAUDE_PLUGIN_ROOT || isPlugin(claude)) {
      return { checks: [{ name: 'hooks', state: 'ok', detail: 'registered by the plugin' }], folder: hooksFolder() };
    }
    const check: Check = {
      name: 'hooks',
      state: 'wrong',
      detail: 'not registered: no call is checked',
      hint: 'konnichiwagwan install',
    };
    return { checks: [check], folder: hooksFolder() };
  }
  const checks = WANTED.map((script): Check => {
    const name = `hook ${script}`;
    const found = registered.filter((one) => one.script === script);
    const absent = found.find(({ path }) => !existsSync(path));
    if (found.length === 0) return { name, state: 'wrong', detail: 'not registered', hint: 'konnichiwagwan install' };
    if (absent)
      return {
        name,
        state: 'wrong',
        detail: `${absent.file} names ${absent.path}, which is not there`,
        hint: 'konnichiwagwan install',
      };
    if (found.length > 1)
      return {
        name,
        state: 'note',
        detail: `registered ${found.length} times: ${found.map((one) => one.file).join(', ')}`,
        hint: 'uninstall one of them',
      };
    return { name, state: 'ok', detail: found[0]?.path ?? '' };
  });
  const guard = registered.find((one) => one.script === 'guard' && existsSync(one.path));
  return { checks, folder: guard ? join(guard.path, '..') : hooksFolder() };
};

/** Whether the agent is kept from approving contracts by itself. Only settings can do that, a plugin cannot. */
const checkRules = (io: Io, project: string): Check => {
  const name = 'rules';
  const user = claudeHome(io.env);
  const folders = [user, join(project, '.claude')];
  const files = folders.flatMap((folder) => [join(folder, 'settings.json'), join(folder, 'settings.local.json')]);
  const denied = new Set(files.flatMap(denyOf));
  const missing = approvalRules(io, false).filter((rule) => !denied.has(rule));
  const detail = 'the agent is denied to edit the lockfile and the state, and to run approve';
  if (missing.length === 0) return { name, state: 'ok', detail };
  const which = `${missing[0]}${missing.length > 1 ? ` and ${missing.length - 1} more` : ''}`;
  // What an installation of ours wrote and somebody took out.
  for (const folder of folders) {
    const recorded = readRecord(join(folder, 'skills', NAME))?.settings.rules ?? [];
    const now = denyOf(join(folder, 'settings.json'));
    const lost = missing.filter((rule) => recorded.includes(rule) && !now.includes(rule));
    if (lost.length === 0) continue;
    return {
      name,
      state: 'wrong',
      detail: `${join(folder, 'settings.json')} lost ${plural(lost.length, 'rule')} that deny the agent to approve: ${lost.join(', ')}`,
      hint: `konnichiwagwan install${folder === user ? '' : ' --project'}`,
    };
  }
  const hint = `konnichiwagwan install adds ${missing.length > 1 ? 'them' : 'it'} to permissions.deny`;
  const plugin = io.env.CLAUDE_PLUGIN_ROOT || isPlugin(user) ? ', and its own hooks: disable the plugin then' : '';
  return {
    name,
    state: 'note',
    detail: `the agent may approve contracts in its own way: nothing denies ${which}`,
    hint: hint + plugin,
  };
};

const checkSources = async (io: Io, home: string, project: string): Promise<Check[]> => {
  const config = loadConfig(home, project, io.env);
  const { gateways, servers, problems, unaskable } = allSources(config, project, io.env);
  const wrong = [
    ...config.problems.map((detail): Check => ({ name: 'settings', state: 'wrong', detail, hint: 'correct the file' })),
    ...problems.map(
      ({ kind = 'source', name, why }): Check => ({
        name: `${kind} ${quoteName(name)}`,
        state: 'wrong',
        detail: why,
        hint: 'set it where Claude Code is started',
      }),
    ),
    ...unaskable.map(
      ({ name, why }): Check => ({
        name: `server ${quoteName(name)}`,
        state: 'note',
        detail: why,
        hint: 'its files are watched instead; konnichiwagwan probe --spawn asks a second copy of it',
      }),
    ),
  ];
  if (gateways.length + servers.length + wrong.length === 0) {
    const hint = 'add an MCP server to Claude Code, set GATEWAY_URL where it is started, or "gateways" in config.json';
    return [{ name: 'sources', state: 'note', detail: 'none: no call can be checked', hint }];
  }
  const ask =
    (kind: 'gateway' | 'server') =>
    async (source: Source): Promise<Check> => {
      const name = `${kind} ${quoteName(source.name)}`;
      const answer = await source.ask(undefined, 10_000);
      if (answer.status === 'answered')
        return { name, state: 'ok', detail: `${source.where}: ${plural(answer.list.tools.length, 'tool')}` };
      const detail = answer.status === 'same' ? 'answered 304 to a plain question' : `${answer.status}: ${answer.why}`;
      return {
        name,
        state: answer.status === 'unaskable' ? 'note' : 'wrong',
        detail: `${source.where} ${detail}`,
        hint:
          kind === 'gateway'
            ? 'is it running, and does it answer GET /api/tools/list?'
            : 'is it running? claude mcp list',
      };
    };
  const asked = await Promise.all([...gateways.map(ask('gateway')), ...servers.map(ask('server'))]);
  return [...wrong, ...asked];
};

const MOST_FILES = 2_000;

const checkState = (home: string): Check => {
  const name = 'state';
  if (!existsSync(home)) return { name, state: 'note', detail: `${home} is not there yet: the first session makes it` };
  try {
    makeFolder(home);
    writeAtomic(join(home, '.doctor'), '');
    rmSync(join(home, '.doctor'));
  } catch (error) {
    const detail = `${home} cannot be written (${(error as NodeJS.ErrnoException).code})`;
    return { name, state: 'wrong', detail, hint: 'without it baselines are lost: make it a folder of yours' };
  }
  if (process.platform === 'win32') return { name, state: 'ok', detail: home };
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' }).slice(0, MOST_FILES);
  const open = files.filter((file) => existsSync(join(home, file)) && (statSync(join(home, file)).mode & 0o077) !== 0);
  if (open.length === 0 && (statSync(home).mode & 0o077) === 0) return { name, state: 'ok', detail: home };
  const which = open.length > 0 ? `${open.length} files, ${quoteText(open[0] ?? '', 80)} first,` : home;
  return {
    name,
    state: 'wrong',
    detail: `${which} can be read by others`,
    hint: `chmod -R go= ${quoteText(home, 200)}`,
  };
};

/** Feeds the guard that is installed a stale and a fresh call, against a gateway of its own. */
const checkGuard = async (io: Io, folder: string): Promise<Check[]> => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-doctor-'));
  const gateway = await startGateway(BEFORE_VERSION, BEFORE);
  try {
    const env = sandbox(io.env, home, gateway.url);
    await startSession(folder, 'doctor', home, env);
    const guard = (tool: string, args: Record<string, Json>) =>
      runHookFile(join(folder, 'guard.cjs'), preToolUse('doctor', home, tool, args), env);
    const fresh = await guard('get_profile', { user_id: 'u_42' });
    gateway.set(AFTER_VERSION, AFTER);
    await new Promise((resolve) => setTimeout(resolve, 2_050));
    const stale = await guard('create_export', { dataset: 'ds_7' });
    const silent = fresh.exit === 0 && !fresh.garbled && fresh.message === undefined && fresh.decision === undefined;
    const hint = `reinstall: konnichiwagwan install (the guard in question is in ${folder})`;
    return [
      silent
        ? { name: 'guard, fresh call', state: 'ok', detail: 'passes in silence' }
        : {
            name: 'guard, fresh call',
            state: 'wrong',
            detail: fresh.message ?? `does not pass in silence (exit ${fresh.exit})`,
            hint,
          },
      stale.decision === 'deny'
        ? { name: 'guard, stale call', state: 'ok', detail: 'is stopped' }
        : {
            name: 'guard, stale call',
            state: 'wrong',
            detail: stale.message ?? `is not stopped (exit ${stale.exit})`,
            hint,
          },
    ];
  } finally {
    gateway.close();
    rmSync(home, { recursive: true, force: true });
  }
};

const MARKS = { ok: ['green', '✔'], note: ['yellow', '·'], wrong: ['red', '✘'] } as const;

const line = ({ name, state, detail, hint }: Check, paint: Paint): string => {
  const [style, mark] = MARKS[state];
  return `${paint(style, mark)} ${name.padEnd(18)} ${visible(detail, { max: 1_000 })}${hint === undefined ? '' : `\n  ${' '.repeat(18)} → ${hint}`}`;
};

export const doctor: Command = {
  name: 'doctor',
  summary: 'is everything in place, and does the installed guard work?',
  usage: '',
  help: `
Checks Node and Claude Code, the registered hooks and the files they point at, the rules that leave approving to
people, every source, the state folder, and feeds the installed guard a stale call, which it must stop, and a fresh
one, which it must let pass in silence. Exits with 1 if something is wrong.`,
  run: async (_args, io) => {
    const home = stateHome(io.env);
    const project = io.env.CLAUDE_PROJECT_DIR || io.cwd;
    io.progress('checking …');
    const hooks = checkHooks(io, project);
    const checks = [
      checkNode(io),
      checkClient(io),
      ...hooks.checks,
      checkRules(io, project),
      ...(await checkSources(io, home, project)),
      checkState(home),
      ...(io.env.KONNICHIWAGWAN === 'off'
        ? [
            {
              name: 'switch',
              state: 'wrong',
              detail: 'KONNICHIWAGWAN=off: the hooks do nothing',
              hint: 'unset it',
            } as Check,
          ]
        : []),
      ...(await checkGuard(io, hooks.folder)),
    ];
    const wrong = checks.filter((check) => check.state === 'wrong').length;
    const paint = painter(io.colour);
    return {
      exit: wrong > 0 ? 1 : 0,
      data: { checks: JSON.parse(JSON.stringify(checks)) as Json },
      text: [
        ...checks.map((check) => line(check, paint)),
        '',
        wrong > 0 ? paint('red', `${wrong} wrong`) : paint('green', 'all is well'),
      ].join('\n'),
    };
  },
};
