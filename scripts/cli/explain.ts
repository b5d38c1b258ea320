import { basename } from 'node:path';
import { versionText } from '../baseline/drift-line.ts';
import { readBaseline } from '../baseline/sessions.ts';
import { type Args, type Command, CommandError, type Io, isReadByModel, usageError } from '../command/command.ts';
import { unmarked } from '../command/read-file.ts';
import { SESSION_OPTION, whereabouts } from '../command/session.ts';
import { contractHash } from '../contract/canonical.ts';
import { defined, present } from '../contract/defined.ts';
import { parsedJson } from '../contract/parsed-json.ts';
import { type Contract, isObject } from '../contract/types.ts';
import { publicChange } from '../diff/public-change.ts';
import type { FoundChange } from '../diff/types.ts';
import { assess } from '../guard/assess.ts';
import { type Assessment, type ExaminedTool, judgementOf, liveContract, type NotCovered } from '../guard/assessment.ts';
import { ForeignHost } from '../guard/foreign.ts';
import { BadInput, readToolInput, type ToolInput } from '../guard/input.ts';
import { assessInner } from '../guard/invoker/assess-inner.ts';
import { type Subject, subjectOf } from '../guard/subject.ts';
import { decisionOf, tracedCall, withoutSecrets, withoutWordsOf } from '../guard/traced.ts';
import { refreshAdvice, stopsEveryCall } from '../guard/way-out.ts';
import type { Judgement, Reason } from '../judge/judge.ts';
import { changeLines, countText, withoutWords } from '../reports/changes.ts';
import { callLines } from '../reports/trace.ts';
import { baselineFor, folderOf } from '../session/probe.ts';
import type { TracedCall } from '../state/call-trace.ts';
import { thisMoment } from '../state/circumstances.ts';
import { stateHome } from '../state/paths.ts';
import { type Paint, painter } from '../text/paint.ts';
import { quoteName, quoteText } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import { findTranscript } from '../transcript/find-transcript.ts';
import { transcriptFiles } from '../transcript/transcript-files.ts';

const DECISIONS: Record<string, string> = {
  silence: 'silence: nothing changed, and the call goes through',
  notice: 'notice: the call goes through; you and Claude are told once what changed',
  ask: 'ask: a person is asked before the call is sent',
  deny: 'deny: the call is stopped, and Claude is told how to call the tool now',
  unchecked: 'could not check: the call goes through unchecked, and you are told once',
  'not-covered': 'not covered: no source knows this tool, so its calls are not checked',
  off: 'off: calls of this server are not checked',
};

/** In mode strict, what could not be checked waits for a person. */
const STRICT: Record<string, string> = {
  unchecked: 'could not check: the mode is strict, so a person is asked before the call is sent',
  'not-covered': 'not covered: no source knows this tool, and the mode is strict, so a person is asked',
};

const IRRELEVANT = 'silence: none of these changes is a reason to hold this call or to tell of it; it goes through';

const age = (checkedAt: number): Shown => say`${Math.max(0, Math.round((Date.now() - checkedAt) / 100) / 10)} s ago`;

/** Whether the contract changed only in ways that are irrelevant to this call. */
const isIrrelevant = (judgement: Judgement | undefined): boolean =>
  judgement?.decision === 'silence' && judgement.changes.length > 0;

/** What would let a call through that is stopped. */
const insteadOfDenied = (judgement: Judgement, about: Subject): Shown => {
  const fitting = judgement.signature && say`a call in the current form: ${judgement.signature}`;
  if (judgement.changes.length === 0) return fitting ?? say`arguments that can be read`;
  return stopsEveryCall(judgement, about)
    ? say`a refreshed session: the mode is strict. ${refreshAdvice(about)}`
    : say`${fitting ?? 'another tool'}. ${refreshAdvice(about)}`;
};

/** What would change the judgement of a call. */
const insteadOf = (judgement: Judgement, about: Subject, isWarned: boolean): Shown => {
  if (judgement.decision === 'deny') return insteadOfDenied(judgement, about);
  if (judgement.decision === 'ask') return say`a yes, or a call that does not rely on what changed`;
  if (judgement.decision === 'notice')
    return isWarned
      ? say`"mode": "guard" for this server in config.json: then a call that passes what changed is asked about or stopped`
      : say`the call passes something whose words or schema changed: then it is asked about or stopped`;
  return isIrrelevant(judgement)
    ? say`the arguments are no longer valid, or pass something that changed: then it is told${isWarned ? '' : ', asked about or stopped'}`
    : say`the contract changes on the server`;
};

const wouldChange = (input: ToolInput, found: Assessment): Shown => {
  const { facts, trust, policy } = found;
  if (trust?.what === 'refused' && trust.command === '') return say`those who share their approvals lift the refusal`;
  if (trust && judgementOf(found)?.decision !== 'deny')
    return say`a person approves the contract: ${visible(trust.command || 'repair the lockfile', { max: 400 })}`;
  switch (found.verdict) {
    case 'not-covered':
      return say`a gateway that lists the tool: GATEWAY_URL, or "gateways" in config.json`;
    case 'unchecked':
      return say`an answer of ${visible(facts?.source.where ?? 'the source', { max: 200 })}. What is wrong: konnichiwagwan doctor`;
    case 'off':
      return policy.mode === 'off'
        ? say`"mode": "guard" for this server in config.json`
        : say`nothing: ${visible(found.why)}`;
    case 'judged':
      return insteadOf(found.judgement, subjectOf(input, found, true), policy.mode === 'warn');
  }
};

const shortHash = (contract: Contract): Shown => visible(contractHash(contract).slice(0, 16));

/** What the model believes, how that is known, and why. */
const believedText = ({ view, baseline, belief }: ExaminedTool): Shown => {
  const { contract, from, why } = belief;
  const reason = visible(why, { max: 300 });
  if (contract === undefined) return say`unknown: ${reason}`;
  const hash = shortHash(contract);
  if (from === 'told') return say`${hash}: ${reason}`;
  if (view === undefined) {
    return say`${hash}, from the baseline ${baseline?.late ? 'that was recorded late' : "of the session's start"}, as ${reason}`;
  }
  return say`${hash}, from ${from === 'baseline' ? 'the baseline' : 'the transcript'}: ${reason}`;
};

/** Changes for the reader: if that is the model, without the prose of an untrusted server. */
const forReader = (changes: readonly FoundChange[], { policy }: Assessment, io: Io): readonly FoundChange[] =>
  policy.trusted || !isReadByModel(io) ? changes : withoutWords(changes);

/** The call itself: its contract and its arguments, without secrets, for the reader (a person or the model). */
const callFor = (input: ToolInput, found: Assessment, io: Io): TracedCall => {
  const { contract, ...call } = tracedCall(input, found);
  const shown = found.policy.trusted || !isReadByModel(io) ? contract : withoutWordsOf(contract);
  return { ...call, ...defined({ contract: shown }) };
};

const programOf = (found: Assessment): NotCovered['program'] =>
  found.verdict === 'not-covered' ? found.program : undefined;

const lines = (input: ToolInput, found: Assessment, paint: Paint, io: Io): Shown[] => {
  const { facts, policy, named, trust } = found;
  const judgement = judgementOf(found);
  const step = (title: string, text: Shown): Shown => say`${paint('bold', visible(`${title}:`.padEnd(10)))} ${text}`;
  const decision = decisionOf(found);
  const contract = liveContract(found);
  const touched = (reason: Reason): Shown => {
    const parameter = reason.change?.parameter?.join('.');
    return parameter ? quoteName(parameter) : (reason.invalid?.text ?? visible(reason.change?.rule ?? ''));
  };
  const program = programOf(found);
  return present([
    step(
      'call',
      say`${quoteName(input.toolName)} on server ${quoteName(named.server)}, mode ${policy.mode}${policy.trusted ? ', trusted' : ''}`,
    ),
    ...callLines(callFor(input, found, io)).map(([title, text]) => step(title, text)),
    step(
      'source',
      facts
        ? say`${visible(facts.source.where, { max: 200 })}, asked ${age(facts.checkedAt)}`
        : say`none (${visible(found.why ?? 'unknown', { max: 500 })})`,
    ),
    facts?.tool && step('believed', believedText(facts.tool)),
    facts &&
      step(
        'live',
        contract
          ? say`${shortHash(contract)}${facts.live.schemaVersion ? say`, version ${versionText(facts.live.schemaVersion, '')}` : ''}`
          : say`the server no longer has this tool`,
      ),
    ...(judgement
      ? [
          step('changes', countText(judgement.changes)),
          ...changeLines(forReader(judgement.changes, found, io), paint, '  '),
        ]
      : []),
    judgement && judgement.reasons.length > 0 && step('touched', joined(judgement.reasons.map(touched), '; ')),
    program &&
      step(
        'program',
        program.rebuilt.length > 0
          ? say`rebuilt since the session started: ${quoteText(program.rebuilt.join(', '), 200)}`
          : say`the files that it was started from are as they were (${program.files.length})`,
      ),
    ...(trust
      ? [
          step(
            'lockfile',
            trust.why === undefined ? say`${trust.what}` : say`${trust.what}: ${visible(trust.why, { max: 600 })}`,
          ),
          ...changeLines(forReader(trust.changes, found, io), paint, '  '),
        ]
      : []),
    step(
      'verdict',
      visible(
        decision === 'silence' && isIrrelevant(judgement)
          ? IRRELEVANT
          : ((policy.mode === 'strict' ? STRICT[decision] : undefined) ?? DECISIONS[decision] ?? decision),
      ),
    ),
    step('unless', wouldChange(input, found)),
  ]);
};

const dataOf = (input: ToolInput, found: Assessment, io: Io): object => {
  const { facts, policy, named } = found;
  const [judgement, program, call] = [judgementOf(found), programOf(found), callFor(input, found, io)];
  const { belief, baseline, view } = facts?.tool ?? ({} as Partial<ExaminedTool>);
  return {
    tool: input.toolName,
    server: named.server,
    mode: policy.mode,
    trusted: policy.trusted,
    source: facts && { name: facts.source.name, where: facts.source.where, checked_at: facts.checkedAt },
    believed: belief && {
      from: belief.from,
      why: belief.why,
      hash: belief.contract && contractHash(belief.contract),
    },
    model_view: view !== undefined,
    baseline: baseline && { late: baseline.late, hash: contractHash(baseline.contract) },
    live: facts && { version: facts.live.schemaVersion, has_tool: liveContract(found) !== undefined },
    changes: judgement && forReader(judgement.changes, found, io).map(publicChange),
    program: program && { files: program.files.length, rebuilt: program.rebuilt },
    lockfile: found.trust && { what: found.trust.what, why: found.trust.why, command: found.trust.command },
    contract: call.contract,
    contract_hash: call.contract_hash,
    arguments: call.arguments,
    verdict: decisionOf(found),
    why: found.why,
    signature: judgement?.signature,
    corrected: judgement?.corrected && withoutSecrets(judgement.corrected, found),
    would_change: wouldChange(input, found),
  };
};

/** The exit code: 1 if anything was found, else 2 if something could not be checked. */
const exitFor = (decisions: string[]): 0 | 1 | 2 => {
  const of = (...wanted: string[]) => decisions.some((decision) => wanted.includes(decision));
  if (of('notice', 'ask', 'deny')) return 1;
  return of('unchecked', 'not-covered') ? 2 : 0;
};

/** The hook input on standard input. @throws CommandError if it is not one */
export const readHookInput = async (io: Io): Promise<ToolInput> => {
  try {
    return readToolInput(unmarked(await io.readStdin()));
  } catch (error) {
    const hint = 'pass the JSON that Claude Code gives a PreToolUse hook on standard input';
    const foreign = 'this input is not Claude Code’s but another program’s, and the guard leaves its calls alone';
    if (error instanceof ForeignHost) throw new CommandError('foreign-host', foreign, hint);
    throw error instanceof BadInput ? new CommandError('bad-input', error.message, hint) : error;
  }
};

/** The input of a hook for a call that is named by its tool and arguments. @throws CommandError */
const inputFor = (tool: string, given: string | undefined, args: Args, io: Io): ToolInput => {
  const input = parsedJson(given ?? '{}');
  if (!isObject(input))
    throw usageError(
      'explain',
      'the arguments of the call are not a JSON object',
      `konnichiwagwan explain ${quoteText(tool, 80)} '{"city":"X"}'`,
    );
  if (!/^mcp__./.test(tool))
    throw usageError(
      'explain',
      `${quoteText(tool, 80)} is not the name of a tool of an MCP server`,
      'write it as Claude Code does: mcp__SERVER__TOOL. `konnichiwagwan logs` shows those that were called',
    );
  // A session of another folder may have learned other contracts.
  const { home, project, session = baselineFor(home, project, undefined)?.session_id } = whereabouts(args, io);
  const files = session === undefined ? [] : transcriptFiles(io.env, 0, session).files;
  const transcript = files.find(({ path }) => basename(path) === `${session}.jsonl`)?.path;
  return readToolInput(
    JSON.stringify({
      session_id: session ?? 'none',
      hook_event_name: 'PreToolUse',
      transcript_path: transcript ?? '',
      cwd: folderOf(session === undefined ? undefined : readBaseline(home, session), io.cwd),
      tool_name: tool,
      tool_input: input,
    }),
  );
};

export const explain: Command = {
  name: 'explain',
  usage: "TOOL ['ARGUMENTS'] [--session ID] | < HOOK_INPUT",
  words: 2,
  options: SESSION_OPTION,
  help: `
Takes a call by its tool and arguments, or reads the JSON of a PreToolUse hook on standard input, and shows what the guard
would decide and why: the contract and the arguments, what the model believes and where that is known from, what the
server runs and how old that answer is, what changed, the verdict, and what would change it. Of a call through a generic
invoker it shows both calls, the outer and the inner one. Left out are values that are known secrets, look like tokens,
or stand under a name like "password". Decides nothing and remembers nothing. A call that is given by its tool is judged
as one of this folder's newest session, or of --session.

  konnichiwagwan explain mcp__demo__search '{"query":"X"}'
  echo '{"session_id":"…","hook_event_name":"PreToolUse","tool_name":"mcp__demo__search","tool_input":{}}' | konnichiwagwan explain`,
  run: async (args, io) => {
    const [tool, given] = args.positionals;
    const input = tool === undefined ? await readHookInput(io) : inputFor(tool, given, args, io);
    const home = stateHome(io.env);
    const project = io.env.CLAUDE_PROJECT_DIR || input.cwd || io.cwd;
    const around = { home, project, env: io.env, since: thisMoment(), settled: () => false };
    const found = await assess(input, findTranscript(input), around);
    const inner = await assessInner(input, findTranscript(input), found, around);
    const inside = typeof inner === 'object' ? inner : undefined;
    const paint = painter(io.colour);
    const title = say`\n${paint('bold', say`The call inside it`)}`;
    return {
      exit: exitFor(present([found, inside?.found]).map(decisionOf)),
      data: { ...dataOf(input, found, io), inner: inside && dataOf(inside.input, inside.found, io) },
      text: joined(
        [
          ...lines(input, found, paint, io),
          ...(inside ? [title, ...lines(inside.input, inside.found, paint, io)] : []),
        ],
        '\n',
      ),
      warnings: found.config.problems,
    };
  },
};
