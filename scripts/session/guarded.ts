import { type LoadedConfig, policyFor } from '../config/config.ts';
import type { Server } from '../servers/types.ts';
import { isWrappedOff, unwrapped } from '../servers/wrapped.ts';
import type { SourceProblem } from '../sources/source.ts';
import { plainName } from '../text/quote.ts';
import { shellWord } from '../text/shell-word.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';

/** A server whose calls are not checked. */
interface Unguarded {
  server: Server;
  why: Shown;
  /** The one command that changes that; absent if there is none. */
  command?: Shown;
  /** Whether `wrap --add` does: then `wrap --add --all` does it for all such servers at once. */
  byWrap: boolean;
  /** Set if the user switched its checks off. */
  isOff?: true;
  /** Set if its entry is wrong, which Claude Code reports, too. */
  isBroken?: true;
}

/** How many of the servers that Claude Code starts are guarded, and those that are not. */
export interface Guarded {
  guarded: number;
  total: number;
  others: Unguarded[];
}

/** As one word for a shell: a name may hold anything. */
const word = (text: string): Shown => visible(shellWord(text), { max: 200 });

const ADDABLE = ['user', 'local', 'project'];

/** A URL that may be printed in a command line. */
const isPlain = (url: string): boolean => /^https?:\/\/[\w.:-]+(\/[\w.~/-]{0,60})?$/.test(url);

const ofProgram = (server: Server): Unguarded => {
  const isOurs = ADDABLE.includes(server.scope);
  const why = isOurs
    ? say`local (stdio) server, not guarded`
    : say`local (stdio) server of ${visible(server.scope === 'plugin' ? 'a plugin' : 'a setting that wrap cannot change', { max: 60 })}, not guarded`;
  return { server, why, byWrap: isOurs, ...(isOurs ? { command: say`kwg wrap --add ${word(server.name)}` } : {}) };
};

/** mcp-remote signs in, and wrap starts it. */
const ofSignIn = (server: Server, why: string): Unguarded => {
  const { name, scope, configured } = server;
  const basis = { server, why: say`${visible(why, { max: 160 })}, so it is not guarded`, byWrap: false };
  if (!ADDABLE.includes(scope) || configured.type !== 'http' || !isPlain(configured.url)) return basis;
  const [called, where] = [word(name), visible(scope, { max: 20 })];
  const wrapped = say`kwg wrap --name ${called} -- npx -y mcp-remote ${word(configured.url)}`;
  return {
    ...basis,
    command: say`claude mcp remove ${called} -s ${where} && claude mcp add ${called} -s ${where} -- ${wrapped}`,
  };
};

/** How the user switched the checks of a server off; undefined if they did not. */
export const howOff = (config: LoadedConfig, { name, launch }: Server): Shown | undefined => {
  if (policyFor(config, name).mode === 'off') return say`switched off by "mode": "off" in config.json`;
  return isWrappedOff(launch) ? say`switched off by --off in its entry` : undefined;
};

/**
 * Which servers are guarded. One that is down is guarded all the same: it answers neither us nor the model.
 * @param config our settings, which can switch the checks of a server off
 * @param configured all servers; those that Claude Code does not start count for nothing
 * @param problems what is wrong with entries: such a server cannot be asked
 * @param whyUnaskable what a server said that answers Claude Code alone, by its name; undefined for any other
 */
export const guardedOf = (
  config: LoadedConfig,
  configured: readonly Server[],
  problems: readonly SourceProblem[],
  whyUnaskable: (name: string) => string | undefined,
): Guarded => {
  const ready = configured.filter(({ state }) => state === 'ready');
  const others = ready.flatMap((server): Unguarded[] => {
    const { launch, name } = server;
    const off = howOff(config, server);
    if (off !== undefined) return [{ server, why: off, byWrap: false, isOff: true }];
    if (launch.type === 'stdio' && unwrapped(launch) === undefined) return [ofProgram(server)];
    const wrong = problems.find((one) => one.kind === 'server' && one.name === name)?.why;
    if (wrong !== undefined) return [{ server, why: visible(wrong, { max: 160 }), byWrap: false, isBroken: true }];
    if (launch.type === 'stdio') return [];
    const why = whyUnaskable(name) ?? (launch.type === 'other' ? 'it answers Claude Code alone' : undefined);
    return why === undefined ? [] : [ofSignIn(server, why)];
  });
  return { guarded: ready.length - others.length, total: ready.length, others };
};

/** The same where no hook judges calls: only what wrap starts is guarded. */
export const withoutHooks = ({ total, others }: Guarded, configured: readonly Server[]): Guarded => {
  const more = configured.filter(
    (server) =>
      server.state === 'ready' &&
      !(server.launch.type === 'stdio' && unwrapped(server.launch) !== undefined) &&
      !others.some((one) => one.server === server),
  );
  const all = [...others, ...more.map((server) => ({ server, why: say`no hook is registered`, byWrap: false }))];
  return { guarded: total - all.length, total, others: all };
};

/** `7 of 10 servers guarded`. */
export const guardedText = ({ guarded, total }: Guarded): Shown =>
  say`${guarded} of ${total} ${total === 1 ? 'server' : 'servers'} guarded`;

/** Which servers the command after it is for. */
export const restText = ({ guarded, others: [first, ...more] }: Guarded): Shown =>
  first !== undefined && more.length === 0
    ? say`Not guarded: ${plainName(first.server.name)} →`
    : say`For the ${guarded === 0 ? 'rest' : 'others'}:`;

/** The command that guards most of the unguarded servers; undefined if none does. */
export const guardCommand = ({ others }: Guarded): Shown | undefined => {
  const byWrap = others.filter((one) => one.byWrap);
  if (byWrap.length > 1) return say`kwg wrap --add --all`;
  return byWrap[0]?.command ?? others.find(({ command }) => command !== undefined)?.command;
};
