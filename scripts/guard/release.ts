// The first call to a server after it released something: one line for the person, whether the call is touched or not.
import { bumpLine, type SourceKind, silentLine, unseenLine } from '../baseline/drift-line.ts';
import type { SourceBaseline } from '../baseline/sessions.ts';
import { looksLike } from '../contract/view.ts';
import { diffLists, ofReadable } from '../diff/diff-lists.ts';
import { ofContract } from '../diff/table.ts';
import { splitUpgrade } from '../diff/upgrade.ts';
import type { Mode } from '../judge/judge.ts';
import { siblingName } from '../judge/twin.ts';
import { toolsLine } from '../reports/release.ts';
import type { Live } from '../sources/live.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import type { HookAnswer } from './answer.ts';
import { type Assessment, liveContract } from './assessment.ts';

/** What a source released since the session started. */
export interface Release {
  /** For the person. */
  line: Shown;
  /** The line about a gateway's version, which is also shown beside a stop. */
  ofVersion?: Shown;
  /** The tools that changed, came or went; empty if only the version changed. */
  tools: ReadonlySet<string>;
  /** Whether mode strict holds the call for it. */
  holds: boolean;
}

/** How long the lists may be compared, in ms; what is not compared by then counts as changed. */
const BUDGET = 250;

/**
 * What a source released since the session started; undefined if nothing.
 * @param baseline what the source answered at the session's start
 * @param seen a tool whose present contract the model was shown: to this conversation it is not new
 */
const releasedSince = (
  baseline: SourceBaseline,
  live: Live,
  { name, kind, seen, mode }: { name: string; kind: SourceKind; seen: string | undefined; mode: Mode },
): Omit<Release, 'holds'> | undefined => {
  const all = ofContract(diffLists(baseline.tools, live.tools, BUDGET));
  const found = ofReadable(all, baseline.tools, live.tools);
  const others = splitUpgrade(found, live.tools.length).others.filter(({ tool }) => tool !== seen);
  const tools = new Set(others.map(({ tool }) => tool));
  const [was, is] = [baseline.schema_version, live.schemaVersion];
  const changed = tools.size > 0 ? [toolsLine(name, others, mode)] : [];
  if (was !== is) {
    const unseen = found.length === 0 ? [unseenLine(kind)] : [];
    const ofVersion = bumpLine(kind, baseline, is);
    return { line: joined([ofVersion, ...changed, ...unseen], '\n'), ofVersion, tools };
  }
  if (tools.size === 0) return undefined;
  if (kind !== 'gateway' || is === undefined) return { line: joined(changed, '\n'), tools };
  const ofVersion = silentLine(is);
  return { line: joined([ofVersion, ...changed], '\n'), ofVersion, tools };
};

/** The release before a call, from what was found about the call; undefined if nothing indicates one. */
export const releaseBefore = (found: Assessment): Release | undefined => {
  const { facts, all, policy } = found;
  if (facts?.atStart === undefined || facts.atStart.digest === facts.live.digest) return undefined;
  const { source, live, atStart, tool } = facts;
  const contract = liveContract(found);
  const seen = tool?.view && contract && looksLike(tool.view, contract) ? tool.name : undefined;
  const kind = all.gateways.includes(source) ? 'gateway' : 'server';
  const release = releasedSince(atStart, live, { name: source.name, kind, seen, mode: policy.mode });
  // The server checks what a twin takes, so a twin survives a release.
  return release && { ...release, holds: contract === undefined || siblingName(contract) === undefined };
};

/**
 * Adds the line about a release to the answer for the first call after it. If the stop is about a tool of the release,
 * only the line about the version is added. If only the called tool changed, and the answer says so, nothing is.
 */
export const withRelease = (answer: HookAnswer, release: Release, called: string | undefined): HookAnswer => {
  const { line, ofVersion, tools } = release;
  const isTold = answer.systemMessage !== undefined && tools.size > 0 && [...tools].every((tool) => tool === called);
  if (isTold) return answer;
  const isOfRelease = answer.decision !== undefined && called !== undefined && tools.has(called);
  if (!isOfRelease) return withLine(answer, line);
  return ofVersion === undefined ? answer : withLine(answer, ofVersion);
};

export const withLine = (answer: HookAnswer, line: Shown): HookAnswer => ({
  ...answer,
  systemMessage: answer.systemMessage === undefined ? line : joined([line, answer.systemMessage], '\n'),
});

/** For mode strict: a person says yes to the first call after a release, or starts a new session. */
export const releaseQuestion = (answer: HookAnswer, { line }: Release): HookAnswer => ({
  ...answer,
  decision: 'ask',
  reason: joined(
    [
      ...(answer.reason === undefined ? [] : [answer.reason]),
      line,
      say`The mode is strict, so a person has to say yes before calls go on after that.`,
    ],
    '\n',
  ),
});
