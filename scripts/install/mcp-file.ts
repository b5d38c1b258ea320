// The `.mcp.json` of a project: it names the resident guard for Claude Code, so that a colleague's clone starts it, too.
import { isDeepStrictEqual } from 'node:util';
import { CommandError } from '../command/command.ts';
import { present } from '../contract/defined.ts';
import { GUARD_ENTRY, GUARD_SERVER, isGuardServer } from '../servers/own-guard.ts';
import { visible } from '../text/visible.ts';
import { removeMember, replaceNode } from './json-edit.ts';
import { memberOf, positionOf, readJsonText, valueAt } from './json-text.ts';
import { addMember } from './lists.ts';
import { diffText, paintDiff } from './preview.ts';
import { filled, isEmptyObject, parseSettings } from './settings.ts';
import type { SettingsFile } from './settings-file.ts';

const SERVERS = 'mcpServers';
/** Recorded if we created the file itself. */
const FILE = '';

/** `.mcp.json` as it will be. */
export interface McpPlan {
  file: SettingsFile;
  /** Undefined: the file is removed. */
  text: string | undefined;
  /** What was made for our entry: the file (an empty pointer), and `/mcpServers`. */
  made: string[];
}

/** @throws CommandError if Claude Code would not read the file, or if another server has our name in it */
const checked = ({ text, file }: SettingsFile): void => {
  const wrong = (offset: number, problem: string): never => {
    throw new CommandError(
      'mcp-json-shape',
      `${file}, ${positionOf(text, offset)}: ${problem}`,
      'Correct it, then try again. Nothing was changed.',
    );
  };
  const root = parseSettings(text, file);
  if (root.kind !== 'object') wrong(root.start, 'it is not an object.');
  const servers = memberOf(root, SERVERS);
  if (servers && servers.kind !== 'object') wrong(servers.start, `\`${SERVERS}\` is not an object.`);
  const entry = memberOf(servers, GUARD_SERVER);
  if (entry && !isGuardServer(GUARD_SERVER, valueAt(text, entry)))
    wrong(entry.start, `\`${GUARD_SERVER}\` is the name of another server.`);
};

/** Plans to add our entry, or to remove it. @param made what an earlier installation made. @throws CommandError */
export const planMcp = (file: SettingsFile, wanted: boolean, made: readonly string[] = []): McpPlan => {
  if (file.bytes === null && !wanted) return { file, text: undefined, made: [] };
  checked(file);
  return wanted ? withEntry(file, made) : withoutEntry(file, made);
};

const withEntry = (file: SettingsFile, before: readonly string[]): McpPlan => {
  const text = filled(file.text);
  const servers = memberOf(readJsonText(text), SERVERS);
  const entry = memberOf(servers, GUARD_SERVER);
  const made = present([file.bytes === null && FILE, servers === undefined && `/${SERVERS}`]);
  const settled = { file, made: [...new Set([...before, ...made])] };
  if (entry === undefined) return { ...settled, text: addMember(text, [SERVERS, GUARD_SERVER], GUARD_ENTRY) };
  const isRight = isDeepStrictEqual(valueAt(text, entry), GUARD_ENTRY);
  return { ...settled, text: isRight ? file.text : replaceNode(text, entry, GUARD_ENTRY) };
};

const withoutEntry = (file: SettingsFile, made: readonly string[]): McpPlan => {
  const root = readJsonText(filled(file.text));
  const servers = memberOf(root, SERVERS);
  if (servers === undefined || memberOf(servers, GUARD_SERVER) === undefined)
    return { file, text: file.text, made: [] };
  const alone = servers.children.length === 1 && made.includes(`/${SERVERS}`);
  const left = alone ? removeMember(file.text, root, SERVERS) : removeMember(file.text, servers, GUARD_SERVER);
  return { file, text: made.includes(FILE) && isEmptyObject(left) ? undefined : left, made: [] };
};

/** Whether the file has to be written, or removed. */
export const isMcpChanged = ({ file, text }: McpPlan): boolean =>
  text === undefined ? file.bytes !== null : file.bytes === null || text !== file.text;

/** The changes to the file as lines for a preview. */
export const mcpPreview = (mcp: McpPlan | undefined, colour: boolean): string[] => {
  if (mcp === undefined || !isMcpChanged(mcp)) return [];
  const word = mcp.text === undefined ? 'remove' : mcp.file.bytes === null ? 'create' : 'update';
  const diff = diffText(mcp.file.text, mcp.text ?? '');
  return present([`  ${word} ${visible(mcp.file.file)}`, diff.length > 0 && paintDiff(diff, colour)]);
};
