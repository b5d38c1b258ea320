import { defined } from '../contract/defined.ts';
import { isDeeper } from '../contract/depth.ts';
import { LIMITS } from '../contract/read.ts';
import { type Contract, isObject, type Json } from '../contract/types.ts';
import { LONGEST_RECORD, parseAt, type TranscriptIndex } from './transcript-index.ts';

/** A tool of the client's records, by the client's name, as the model sees it; null for anything else. */
export const toView = (tool: unknown): [string, Contract] | null => {
  if (!isObject(tool) || typeof tool.name !== 'string') return null;
  const inner = isObject(tool.schema) && 'input_schema' in tool.schema ? tool.schema : tool;
  // No server sends anything nested this deeply; it cannot be compared.
  if (!isObject(inner.input_schema) || isDeeper(inner.input_schema, LIMITS.depth)) return null;
  const description = typeof inner.description === 'string' ? inner.description : undefined;
  return [tool.name, { name: tool.name, ...defined({ description }), inputSchema: inner.input_schema as Json }];
};

const viewsIn = (tools: unknown): Map<string, Contract> =>
  new Map((Array.isArray(tools) ? tools : []).map(toView).filter((view) => view !== null));

/**
 * The tools of a request, by the client's name; undefined for one whose contract cannot be read, or that stands there in two
 * different ones. A tool without a contract is left out: the model loads that later.
 */
const shownIn = (tools: unknown): Map<string, Contract | undefined> => {
  const shown = new Map<string, Contract | undefined>();
  for (const tool of Array.isArray(tools) ? tools : []) {
    const view = toView(tool);
    if (view !== null) {
      const [name, contract] = view;
      const isSame = !shown.has(name) || JSON.stringify(shown.get(name)) === JSON.stringify(contract);
      shown.set(name, isSame ? contract : undefined);
    } else if (isObject(tool) && typeof tool.name === 'string' && holdsContract(tool)) shown.set(tool.name, undefined);
  }
  return shown;
};

const holdsContract = (tool: Record<string, unknown>): boolean =>
  'input_schema' in tool || (isObject(tool.schema) && 'input_schema' in tool.schema);

/** The last attachments, as many as can be parsed during a call: 16 MB of them. */
const readable = (attachments: readonly [number, number][]): readonly [number, number][] => {
  let left = LONGEST_RECORD;
  const tooMuch = attachments.findLastIndex(([, length]) => {
    left -= length;
    return left < 0;
  });
  return attachments.slice(tooMuch + 1);
};

/** With this tool, a model loads the contracts of others. */
const LOADER = 'ToolSearch';

const isShown = (name: string): boolean => name === LOADER || name.startsWith('mcp__');

/** What a model sees of the tools of servers. */
export interface ModelView {
  /** By the client's name. Empty if the transcript does not tell. */
  tools: Map<string, Contract>;
  /** The client records what it shows its model, and that holds no contract of any server. */
  hidden: boolean;
}

/**
 * The tools as the model sees them.
 * @param index from `readTranscript`
 */
export const modelView = (index: TranscriptIndex | null): ModelView => {
  const unknown: ModelView = { tools: new Map(), hidden: false };
  if (index === null || index.behind) return unknown;
  if (index.unrecorded) return { ...unknown, hidden: true };
  const { path, current, shapes } = index;
  const views = new Map<string, Contract>();
  for (const place of readable(index.attachments)) {
    const attachment = parseAt(path, place)?.attachment;
    if (!isObject(attachment)) continue;
    for (const [name, view] of viewsIn(attachment.tools ?? attachment.entries)) views.set(name, view);
  }
  if (current === undefined) return { tools: views, hidden: false };
  // A shape that is not in this file, as after a fork, may show other contracts than the attachments.
  if (!Object.hasOwn(shapes, current)) return unknown;
  const record = parseAt(path, shapes[current] as [number, number]);
  // The current shape cannot be read, and the attachments may be older than it: so nothing is known.
  if (record?.shapeHash !== current || !isObject(record.shape)) return unknown;
  // The current shape is the truth; attachments count only for tools that it does not hold.
  for (const [name, view] of shownIn(record.shape.tools))
    if (view === undefined) views.delete(name);
    else views.set(name, view);
  // No contract of a server, and no way to load one: then calls follow contracts that are elsewhere (Code Mode).
  return { tools: views, hidden: ![...views.keys()].some(isShown) };
};
