import { type Assessment, assess } from '../assess.ts';
import { contractHash } from '../contract/canonical.ts';
import type { Json } from '../contract/types.ts';
import { publicChange } from '../diff/diff.ts';
import { BadInput, readToolInput, type ToolInput } from '../hook/input.ts';
import { assessInner } from '../invoker/assess-inner.ts';
import type { Belief } from '../judge/believe.ts';
import { versionText } from '../phase-f.ts';
import { stateHome } from '../state/paths.ts';
import { changeLines, countText } from '../text/changes.ts';
import { refreshAdvice } from '../text/messages.ts';
import { type Paint, painter } from '../text/paint.ts';
import { quoteName, quoteText } from '../text/quote.ts';
import { transcriptOf } from '../view/records.ts';
import { type Command, CommandError, type Io } from './command.ts';

const DECISIONS: Record<string, string> = {
  silence: 'silence: nothing changed, the call goes through and nobody hears of it',
  notice: 'notice: the call goes through; you and Claude are told once what changed',
  ask: 'ask: a person is asked before the call is sent',
  deny: 'deny: the call is stopped, and Claude is told how to call the tool now',
  unchecked: 'could not check: the call goes through unchecked, and you are told once',
  'not-covered': 'not covered: no source knows this tool, so its calls are not checked',
  off: 'off: the guard is switched off for this server',
};

const age = (checkedAt: number | undefined): string =>
  checkedAt === undefined ? '' : `${Math.max(0, Math.round((Date.now() - checkedAt) / 100) / 10)} s ago`;

const wouldChange = ({ verdict, judgement, named, source, trust }: Assessment): string => {
  if (trust && judgement?.decision !== 'deny')
    return `a person approves the contract: ${trust.command || 'repair the lockfile'}`;
  if (verdict === 'not-covered') return 'a gateway that lists the tool: GATEWAY_URL, or "gateways" in config.json';
  if (verdict === 'unchecked')
    return `an answer of ${source?.where ?? 'the source'}: konnichiwagwan doctor shows what is wrong`;
  if (verdict === 'off') return `"mode": "guard" for this server in config.json`;
  if (judgement?.decision === 'deny' && judgement.changes.length === 0)
    return judgement.signature ? `a call that fits ${judgement.signature}` : 'arguments that can be read';
  if (judgement?.decision === 'deny') {
    const first = judgement.signature ? `a call that fits ${judgement.signature}` : 'another tool';
    return `${first}. ${refreshAdvice(named.server)}`;
  }
  if (judgement?.decision === 'ask') return 'a yes, or a call that does not rely on what changed';
  if (judgement?.decision === 'notice') {
    return 'the call uses something that changed its meaning: then it is asked about or stopped';
  }
  return 'the contract changes on the server';
};

/** What the model believes, where that is known from, and why. */
const believedText = ({ view, baseline }: Assessment, { contract, from, why }: Belief): string => {
  if (contract === undefined) return `unknown: ${why}`;
  const hash = contractHash(contract).slice(0, 16);
  if (view === undefined) {
    return `${hash}, from the baseline ${baseline?.late ? 'that was recorded late' : "of the session's start"}, as ${why}`;
  }
  return `${hash}, from ${from === 'baseline' ? 'the baseline' : 'the transcript'}: ${why}`;
};

const STRENGTH = ['notice', 'ask', 'deny'];

/** Of freshness and of trust, the stricter one. */
const decisionOf = ({ verdict, judgement, trust }: Assessment): string => {
  const fresh = verdict === 'judged' ? (judgement?.decision ?? 'unchecked') : verdict;
  return trust && STRENGTH.indexOf(trust.verdict) > STRENGTH.indexOf(fresh) ? trust.verdict : fresh;
};

const lines = (input: ToolInput, found: Assessment, paint: Paint): string[] => {
  const { belief, live, judgement, source, checkedAt, policy, named, tool } = found;
  const step = (title: string, text: string) => `${paint('bold', `${title}:`.padEnd(10))} ${text}`;
  const decision = decisionOf(found);
  const contract = live?.tools.find((one) => one.name === tool);
  return [
    step(
      'call',
      `${quoteName(input.toolName)} on server ${quoteName(named.server)}, mode ${policy.mode}${policy.trusted ? ', trusted' : ''}`,
    ),
    step('source', source ? `${source.where}, asked ${age(checkedAt)}` : `none (${found.why ?? 'unknown'})`),
    ...(belief ? [step('believed', believedText(found, belief))] : []),
    ...(live
      ? [
          step(
            'live',
            contract
              ? `${contractHash(contract).slice(0, 16)}${live.schemaVersion ? `, version ${versionText(live.schemaVersion, '')}` : ''}`
              : 'the server has no such tool any more',
          ),
        ]
      : []),
    ...(judgement
      ? [step('changes', countText(judgement.changes)), ...changeLines(judgement.changes, paint, '  ')]
      : []),
    ...(judgement && judgement.reasons.length > 0
      ? [
          step(
            'touched',
            judgement.reasons
              .map((reason) => {
                const parameter = reason.change?.parameter?.join('.');
                return parameter ? quoteName(parameter) : (reason.invalid?.text ?? reason.change?.rule ?? '');
              })
              .join('; '),
          ),
        ]
      : []),
    ...(found.program
      ? [
          step(
            'program',
            found.program.rebuilt.length > 0
              ? `rebuilt since the session started: ${quoteText(found.program.rebuilt.join(', '), 200)}`
              : `the files that it was started from are as they were (${found.program.files.length})`,
          ),
        ]
      : []),
    ...(found.trust
      ? [
          step(
            'lockfile',
            found.trust.why === undefined ? found.trust.what : `${found.trust.what}: ${found.trust.why}`,
          ),
          ...changeLines(found.trust.changes, paint, '  '),
        ]
      : []),
    step('verdict', DECISIONS[decision] ?? decision),
    step('unless', wouldChange(found)),
  ];
};

const dataOf = (input: ToolInput, found: Assessment): object => {
  const { belief, live, judgement, source, checkedAt, view, policy, named, tool, baseline } = found;
  return {
    tool: input.toolName,
    server: named.server,
    mode: policy.mode,
    trusted: policy.trusted,
    source: source && { name: source.name, where: source.where, checked_at: checkedAt },
    believed: belief && {
      from: belief.from,
      why: belief.why,
      hash: belief.contract && contractHash(belief.contract),
    },
    model_view: view !== undefined,
    baseline: baseline && { late: baseline.late, hash: contractHash(baseline.contract) },
    live: live && { version: live.schemaVersion, has_tool: live.tools.some((one) => one.name === tool) },
    changes: judgement?.changes.map(publicChange),
    program: found.program && { files: found.program.files.length, rebuilt: found.program.rebuilt },
    lockfile: found.trust && { what: found.trust.what, why: found.trust.why, command: found.trust.command },
    verdict: decisionOf(found),
    why: found.why,
    signature: judgement?.signature,
    corrected: judgement?.corrected,
    would_change: wouldChange(found),
  };
};

/** What was found comes before what could not be checked. */
const exitFor = (decisions: string[]): 0 | 1 | 2 => {
  const of = (...wanted: string[]) => decisions.some((decision) => wanted.includes(decision));
  if (of('notice', 'ask', 'deny')) return 1;
  return of('unchecked', 'not-covered') ? 2 : 0;
};

/** @throws CommandError for what is not a hook input */
export const readHookInput = async (io: Io): Promise<ToolInput> => {
  try {
    return readToolInput(await io.readStdin());
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    throw new CommandError(
      'bad-input',
      error.message,
      'pass the JSON that Claude Code gives a PreToolUse hook on standard input',
    );
  }
};

export const explain: Command = {
  name: 'explain',
  summary: 'every step of the decision on one call',
  usage: '< HOOK_INPUT',
  help: `
Reads the JSON of a PreToolUse hook on standard input and shows what the guard would decide and why: what the model
believes and where that is known from, what the server runs and how old that answer is, what changed, the verdict, and
what would change it. Decides nothing and remembers nothing.

  echo '{"session_id":"…","hook_event_name":"PreToolUse","tool_name":"mcp__demo__search","tool_input":{}}' | konnichiwagwan explain`,
  run: async (_args, io) => {
    const input = await readHookInput(io);
    const home = stateHome(io.env);
    const project = io.env.CLAUDE_PROJECT_DIR || input.cwd || io.cwd;
    const around = { home, project, env: io.env, since: Date.now(), settled: () => false };
    const found = await assess(input, transcriptOf(input), around);
    const inner = await assessInner(input, transcriptOf(input), found, around);
    const inside = typeof inner === 'object' ? inner : undefined;
    const paint = painter(io.colour);
    const title = `\n${paint('bold', 'The call inside it')}`;
    return {
      exit: exitFor([found, ...(inside ? [inside.found] : [])].map(decisionOf)),
      data: JSON.parse(
        JSON.stringify({ ...dataOf(input, found), inner: inside && dataOf(inside.input, inside.found) }),
      ) as Json,
      text: [
        ...lines(input, found, paint),
        ...(inside ? [title, ...lines(inside.input, inside.found, paint)] : []),
      ].join('\n'),
      warnings: found.config.problems,
    };
  },
};
