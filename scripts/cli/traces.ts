import { type Io, isReadByModel, type Outcome } from '../command/command.ts';
import { type LoadedConfig, policyFor } from '../config/config.ts';
import { defined } from '../contract/defined.ts';
import { withoutWordsOf } from '../guard/traced.ts';
import { callLines } from '../reports/trace.ts';
import { readTraces, type TracedCall } from '../state/call-trace.ts';
import { configPath } from '../state/paths.ts';
import { painter } from '../text/paint.ts';
import { plainName, quotePath } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';

const OFF = (path: string): Shown =>
  say`No call is traced, because that keeps arguments. To turn it on: "trace": true in ${quotePath(path)}`;
const NONE = 'No call has been traced yet.';

/** The last calls that were traced: what `logs --trace` prints. */
export const tracesOf = (home: string, last: number, io: Io, config: LoadedConfig): Outcome => {
  const forReader = (call: TracedCall, servers: readonly string[]): TracedCall => {
    const { contract, ...rest } = call;
    const mayRead = !isReadByModel(io) || servers.every((server) => policyFor(config, server).trusted);
    return { ...rest, ...defined({ contract: mayRead ? contract : withoutWordsOf(contract) }) };
  };
  const traces = readTraces(home, last).map(({ outer, inner, ...trace }) => ({
    ...trace,
    outer: forReader(outer, [outer.server]),
    // For a tool behind an invoker, the words may come from either server.
    ...(inner ? { inner: forReader(inner, [outer.server, inner.server]) } : {}),
  }));
  const paint = painter(io.colour);
  const textOf = (title: Shown, call: TracedCall): Shown[] => [
    say`${title}  ${visible(call.verdict)}  ${plainName(call.server)}  ${plainName(call.tool)}`,
    ...callLines(call).map(([name, text]) => say`    ${visible(`${name}:`.padEnd(10))} ${text}`),
  ];
  const lines = traces.flatMap(({ at, verdict, outer, inner }) => [
    say`${visible(at.replace('T', ' ').replace(/\.\d+/, ''), { max: 40 })}  ${paint('bold', visible(verdict))}`,
    ...textOf(say`  the call`, outer),
    ...(inner ? textOf(say`  the call inside it`, inner) : []),
  ]);
  const isOn = config.user.trace === true;
  const none = isOn ? NONE : OFF(configPath(home));
  return { exit: 0, data: { on: isOn, traces }, text: lines.length === 0 ? none : joined(lines, '\n') };
};
