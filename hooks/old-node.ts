// What every program of ours that a user or Claude Code starts loads in place of its own work where Node is too old for it.
// It runs on old versions of Node, so it loads nothing else of ours.
import { mkdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

const HOOKS = ['session-start.cjs', 'guard.cjs', 'offers.cjs', 'tool-failure.cjs'];

const said = `konnichiwagwan needs Node 20.18.1 or newer, and was started with Node ${process.versions.node} (${process.execPath})`;
const next = 'Install a newer one, or put it first in the PATH that this is started with';

const { env } = process;
const state =
  env.KONNICHIWAGWAN_HOME || join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude'), 'konnichiwagwan');

const isStrict = (): boolean => {
  try {
    return /"mode"\s*:\s*"strict"/.test(readFileSync(join(state, 'config.json'), 'utf8'));
  } catch {
    return false;
  }
};

/** Whether this session was not told yet. Where that cannot be remembered, it is told again. */
const isFirst = (): boolean => {
  try {
    const { session_id: session } = JSON.parse(readFileSync(0, 'utf8')) as { session_id?: unknown };
    if (typeof session !== 'string' || !/^[A-Za-z0-9_-]{1,100}$/.test(session)) return true;
    mkdirSync(join(state, 'told'), { recursive: true, mode: 0o700 });
    writeFileSync(join(state, 'told', `old-node-${session}`), '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EEXIST';
  }
};

const answer = (value: object): void => {
  writeSync(1, JSON.stringify(value));
};

const program = basename(process.argv[1] ?? '');
if (!HOOKS.includes(program)) {
  writeSync(2, `${said}.\n  ${next}.\n`);
  process.exit(2);
}
// A project can set the variable that switches the hooks off, so it does not count here.
if (program !== 'tool-failure.cjs') {
  const message = `${said}: calls of MCP tools are not checked. ${next}.`;
  const first = isFirst();
  if (program === 'guard.cjs' && isStrict())
    answer({
      systemMessage: message,
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'ask',
        permissionDecisionReason: `${said}, so this call could not be checked. The mode is strict, so a person has to say yes.`,
      },
    });
  else if (first) answer({ systemMessage: message });
}
process.exit(0);
