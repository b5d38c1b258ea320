import { MOST_PROCESSES, type Process } from './processes.ts';

/** Variables that people set for Claude Code, or an editor for its terminals: not a sign that Claude Code runs this. */
const SETTING =
  /^CLAUDE_CODE_(?:SSE_PORT|USE_|SKIP_|DISABLE_|ENABLE_|MAX_|AUTO_|API_|OAUTH_|CLIENT_|EXTRA_|SHELL|SUBAGENT_MODEL|EFFORT_LEVEL|GIT_BASH_PATH|IDE_|PROXY_|OTEL_)/;

/** Variables that other agents set for the commands that they run. */
const OTHER_AGENTS: Record<string, string> = {
  CLINE_ACTIVE: 'Cline',
  CODEX_SANDBOX: 'Codex',
  CODEX_SANDBOX_NETWORK_DISABLED: 'Codex',
  CURSOR_AGENT: 'Cursor',
  GEMINI_CLI: 'Gemini CLI',
  OPENCODE: 'OpenCode',
  QWEN_CODE: 'Qwen Code',
};

/** The variable that shows that an agent started this process or one above it, and which agent; undefined if none does. */
const marker = (names: readonly string[]): { name: string; agent: string } | undefined => {
  for (const name of names) {
    if (name === 'CLAUDECODE' || name === 'CLAUDE_PID' || (name.startsWith('CLAUDE_CODE_') && !SETTING.test(name)))
      return { name, agent: 'Claude Code' };
    if (Object.hasOwn(OTHER_AGENTS, name)) return { name, agent: OTHER_AGENTS[name] as string };
  }
  return undefined;
};

const CLAUDE = /(?:^|[\\/])(?:claude(?:\.exe)?|@anthropic-ai[\\/]claude-code[\\/]\S*|claude[\\/]versions[\\/]\S*)$/;
const OTHERS =
  /(?:^|[\\/])(aider|amp|cline|codex|copilot|crush|cursor-agent|gemini|goose|opencode|qwen)(?:\.exe|\.[cm]?js)?$/;

/** Which agent a process is, by its program, or by the script that an interpreter runs; undefined if it is not one. */
const agentOf = (one: Process): string | undefined => {
  const [program, ...rest] = one.args;
  const script = isInterpreter(one) ? rest.find((arg) => !arg.startsWith('-')) : undefined;
  const found = [program, script, one.exe].filter((part) => part !== undefined);
  if (found.some((part) => CLAUDE.test(part))) return 'Claude Code';
  return found.map((part) => OTHERS.exec(part)?.[1]).find((name) => name !== undefined);
};

const agentAbove = (chain: readonly Process[]): string | undefined => {
  for (const one of chain) {
    const agent = agentOf(one);
    if (agent !== undefined) return `it runs under ${agent} (process ${one.pid})`;
    const inherited = marker(one.env ?? []);
    if (inherited) return `it runs under ${inherited.agent} (${inherited.name} is set in process ${one.pid})`;
  }
  return undefined;
};

/** The program's name, without a version: `python` for `/usr/bin/python3.12`. */
const programOf = ({ args, exe }: Pick<Process, 'args' | 'exe'>): string =>
  (exe ?? args[0] ?? '')
    .toLowerCase()
    .replace(/^.*[\\/]/, '')
    .replace(/(?:\.exe)$/, '')
    .replace(/[-\d.]+$/, '');

/** Interpreters, which can run any script; and, below, programs that open terminals without a person. */
const INTERPRETERS = new Set(
  'ash bash bun busybox dash deno fish ksh lua node perl php pypy python ruby sh tclsh zsh'.split(' '),
);
const PRETENDERS = new Set(
  'abduco asciinema dtach env expect nohup screen script setsid socat systemd timeout ttyrec unbuffer xargs zellij'.split(
    ' ',
  ),
);

const isInterpreter = (one: Pick<Process, 'args' | 'exe'>): boolean => INTERPRETERS.has(programOf(one));

/** Whether an interpreter runs a terminal for people: that of a VS Code server, or one that is written in Python. */
const isTerminalScript = ({ args }: Process): boolean =>
  args.includes('--type=ptyHost') ||
  args.slice(1).some((arg) => /(?:^|\/)(?:cockpit-bridge|guake|jupyter[\w-]*|terminator)$/.test(arg));

/** Whether a terminal may be a pseudo-terminal: on Linux by its device number, elsewhere always. */
const isPseudo = (tty: string): boolean => !/^\d+:/.test(tty) || /^(?:13[6-9]|14[0-3]):/.test(tty);

/** Ways to look at processes other than those above. */
export interface PersonLook {
  chainOf(pid: number): readonly Process[];
  /** The processes that now show the tmux window in which one of these runs. */
  watchersOf(tmux: Process, inside: readonly number[]): readonly number[];
}

/**
 * Why no person sits at the terminal of the first process of a chain; undefined if one may. The first process above with a
 * different terminal, or none, holds the other end. If it has one (sudo, a recording), that terminal is judged. If it has
 * none, it is a program with a window or a connection, or only pretends to be one.
 */
const pretended = (chain: readonly Process[], look: PersonLook, depth = 0): string | undefined => {
  const tty = chain[0]?.tty;
  if (tty === undefined) return 'it has no terminal of its own';
  const at = chain.findIndex((one) => one.tty !== tty);
  const holder = chain[at];
  // The holder is outside this container, or belongs to another user.
  if (holder === undefined) return undefined;
  if (holder.pid === 1) return isPseudo(tty) ? 'the program that opened its terminal cannot be found' : undefined;
  if (holder.tty !== undefined) return pretended(chain.slice(at), look, depth);
  const program = programOf(holder);
  const said = `its terminal was opened by ${program} (process ${holder.pid}), not by a program that shows it to a person`;
  if (program === 'tmux') {
    const watchers = look.watchersOf(
      holder,
      chain.slice(0, at).map(({ pid }) => pid),
    );
    const seen = depth < 5 && watchers.some((pid) => notAPersons(look.chainOf(pid), look, depth + 1) === undefined);
    return seen ? undefined : 'no terminal shows its tmux window';
  }
  if (isInterpreter(holder)) return isTerminalScript(holder) ? undefined : said;
  return PRETENDERS.has(program) ? said : undefined;
};

const notAPersons = (chain: readonly Process[], look: PersonLook, depth = 0): string | undefined => {
  if (chain.length === 0) return 'the processes above it cannot be seen';
  if (chain.length >= MOST_PROCESSES) return `it has more than ${MOST_PROCESSES} processes above it`;
  return agentAbove(chain) ?? pretended(chain, look, depth);
};

export const runsInCi = ({ CI }: NodeJS.ProcessEnv): boolean => Boolean(CI) && !/^(?:0|false)$/i.test(CI ?? '');

/** The agent that runs this process, and how we know; undefined if none seems to. `chain`: as below. */
export const agentThatRuns = (env: NodeJS.ProcessEnv, chain: readonly Process[] | null): string | undefined => {
  const set = marker(Object.keys(env).filter((name) => env[name] !== ''));
  if (set !== undefined) return `it runs under ${set.agent} (${set.name} is set)`;
  return chain ? agentAbove(chain) : undefined;
};

/**
 * Why there is no person at a terminal; undefined if nothing speaks against one.
 * @param chain this process and those above it; null if the system does not show them
 * @param look null if the system does not show who opened a terminal
 */
export const whyNoPerson = (
  env: NodeJS.ProcessEnv,
  terminal: { stdin: boolean; stdout: boolean },
  chain: readonly Process[] | null,
  look: PersonLook | null,
): string | undefined => {
  const agent = agentThatRuns(env, chain);
  if (agent !== undefined) return agent;
  if (runsInCi(env)) return 'it runs in CI (CI is set)';
  if (!terminal.stdin) return 'standard input is no terminal';
  if (!terminal.stdout) return 'standard output is no terminal';
  return chain === null || look === null ? undefined : notAPersons(chain, look);
};
