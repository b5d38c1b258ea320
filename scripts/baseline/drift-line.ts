import type { Mode } from '../judge/judge.ts';
import type { Live } from '../sources/live.ts';
import { plural } from '../text/plural.ts';
import { quoteName, quoteNames, quoteText } from '../text/quote.ts';
import { type Shown, say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import type { SourceBaseline } from './sessions.ts';

/** A gateway speaks for servers; a server speaks for itself. */
export type SourceKind = 'gateway' | 'server';

/** A version for people, quoted unless it is plain, since it is the server's own text; `otherwise` if there is none. */
export const versionText = (version: string | undefined, otherwise: string): Shown =>
  version === undefined || /^[\w.:+-]{1,40}$/.test(version)
    ? visible(version ?? otherwise, { max: 40 })
    : quoteText(version, 40);

/** The warning that every stale session sees, word for word. */
export const driftLine = (kind: SourceKind, before: Shown, after: Shown): Shown =>
  say`⚠️ Tool schema drift detected — session started ${before}, ${kind} advertises ${after}. Restart Claude Code to avoid silent field-strip bugs.`;

/** What becomes of a call that a change concerns. @param stopped how it is said where the mode stops calls */
export const outcome = (mode: Mode, call: Shown, stopped: Shown): Shown => {
  if (mode === 'off') return say`Calls are not checked: the mode is off.`;
  if (mode === 'strict')
    return say`No call of a changed tool goes through before a person has refreshed the session: the mode is strict.`;
  return mode === 'warn'
    ? say`${call} is sent, and the change is told: the mode is warn.`
    : say`${call} is ${stopped}.`;
};

/** For servers without a version: what changed, and the consequence. @param tools how many changed */
export const changedLine = (names: readonly string[], tools: number, mode: Mode): Shown =>
  say`⚠️ ${plural(tools, 'tool')} of ${quoteNames(names)} changed since this session started. ${outcome(mode, say`A call that relies on what changed`, say`stopped, or asked about first`)}`;

/** For contracts that changed under a version that did not. */
export const silentLine = (version: string): Shown =>
  say`⚠️ Silent tool schema drift — contracts changed and the gateway still advertises ${versionText(version, '')}: its SCHEMA_VERSION was not bumped.`;

/** For contracts that changed on a gateway without any version. */
export const versionlessLine = (): Shown =>
  say`⚠️ Silent tool schema drift — contracts changed, and the gateway advertises no SCHEMA_VERSION that could tell.`;

/** For advertised hashes that do not match their contracts. @param tools at least one */
export const hashLine = (name: string, tools: readonly string[]): Shown =>
  say`konnichiwagwan: ${quoteName(name)} advertises a hash that is not that of the contract it lists: ${quoteNames(tools)}. The contracts themselves are compared; the advertised hashes are not used.`;

/** For a version that changed alone: the gateway reports a change that does not show in the contracts. */
export const unseenLine = (kind: SourceKind): Shown =>
  say`The ${kind} says that something changed that its list doesn't show: what it does with a call may be another thing than this session learned.`;

/** The warning, with the baseline's version and the current one. */
export const bumpLine = (kind: SourceKind, baseline: SourceBaseline, version: string | undefined): Shown => {
  const was = versionText(baseline.schema_version, baseline.recorded_at.slice(0, 10));
  return driftLine(kind, was, versionText(version, 'no version'));
};

/** The same for a version that changed alone, with what that means. */
export const bumpAloneLine = (kind: SourceKind, baseline: SourceBaseline, version: string | undefined): Shown =>
  say`${bumpLine(kind, baseline, version)} ${unseenLine(kind)}`;

/** The key under which a release is remembered, by the digest of its answer: the greeting and the calls report it once. */
export const aboutRelease = (digest: string): string => `release ${digest}`;

/** The key under which wrong hashes are remembered: each contract with one is reported once. */
export const aboutHashes = ({ digest, mismatched }: Live): string => `hashes ${digest} ${JSON.stringify(mismatched)}`;
