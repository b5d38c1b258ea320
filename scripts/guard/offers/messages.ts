// What is said of resources and prompts that changed. Names alone reach the model, and words of trusted servers.
import { safeUri } from '../../contract/offers.ts';
import type { FoundChange } from '../../diff/types.ts';
import { quoteName, quoteNames } from '../../text/quote.ts';
import { type Shown, say } from '../../text/shown.ts';
import { visible } from '../../text/visible.ts';
import { bullets, changeLine, inLines } from '../change-lines.ts';

/** One resource or prompt that is used. */
export interface Used {
  kind: 'resource' | 'prompt';
  name: string;
  server: string;
  /** Absent where it is not listed. */
  changes?: FoundChange[];
  /** Set where it is not known to have been listed either. */
  unheard?: true;
  /** Whether the server's new words may reach the model. */
  trusted: boolean;
}

const what = ({ kind, name, server, changes, unheard }: Used): Shown => {
  const used = say`${kind} ${quoteName(kind === 'resource' ? safeUri(name) : name)} of server ${quoteName(server)}`;
  if (unheard) return say`${used} is not in the server's list, as far as konnichiwagwan is shown it.`;
  return changes === undefined
    ? say`${used} is no longer in the server's list; it was when this conversation learned it.`
    : say`${used} changed after this conversation learned it.`;
};

const linesOf = ({ changes = [] }: Used, words: boolean): Shown[] =>
  bullets(changes.map((change) => changeLine(change, words)));

const reread = (server: string): Shown =>
  say`To have Claude Code read the server's lists again: /mcp reconnect ${visible(server, { max: 100 })}.`;

export const usedContext = (used: Used): Shown =>
  inLines(
    say`konnichiwagwan: ${what(used)}`,
    ...linesOf(used, used.trusted),
    used.kind === 'prompt'
      ? say`The prompt was sent, and its text may mean something else than before.`
      : say`The request was sent. ListMcpResourcesTool lists what the server has now.`,
  );

export const usedMessage = (used: Used): Shown =>
  inLines(say`konnichiwagwan: ${what(used)}`, ...linesOf(used, true), reread(used.server));

/** In strict mode a person decides. */
export const usedQuestion = (used: Used): Shown =>
  inLines(
    say`konnichiwagwan: ${what(used)}`,
    ...linesOf(used, used.trusted),
    say`The mode is strict, so a person has to say yes.`,
  );

/** In strict mode a prompt is held back once: the person who typed it decides whether to send it unchanged. */
export const heldBack = (reason: Shown): Shown =>
  inLines(reason, say`The mode is strict, so the prompt was not sent. Sent once more, it goes through as it is.`);

/** How two lists differ, by name. */
export interface Moved {
  gone: string[];
  added: string[];
}

const MOST_NAMES = 20;

const names = (label: 'gone' | 'new', all: readonly string[]): Shown[] => {
  if (all.length === 0) return [];
  return [say`- ${label}: ${quoteNames(all.map(safeUri), MOST_NAMES)}`];
};

/** The list changed, and so may what is read. */
export const movedContext = (server: string, { gone, added }: Moved): Shown =>
  say`konnichiwagwan: the resources of server ${quoteName(server)} changed after this conversation learned them (${gone.length} gone, ${added.length} new). ListMcpResourcesTool lists what there is now.`;

/** The client showed the model a list that is not the current one. */
export const oldListContext = (server: string, { gone, added }: Moved): Shown =>
  inLines(
    say`konnichiwagwan: this list is what Claude Code read earlier. Server ${quoteName(server)} lists other resources now:`,
    ...names('gone', gone),
    ...names('new', added),
  );

export const oldListMessage = (server: string, { gone, added }: Moved): Shown =>
  inLines(
    say`konnichiwagwan: Claude was shown an old list of the resources of server ${quoteName(server)}, and told what changed (${gone.length} gone, ${added.length} new).`,
    reread(server),
  );
