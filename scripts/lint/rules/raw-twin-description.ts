import { branchesOf } from '../../contract/branches.ts';
import { propertiesOf } from '../../contract/object-schema.ts';
import { type Contract, type Json, own } from '../../contract/types.ts';
import { quoteNames } from '../../text/quote.ts';
import { siblingOf, surelyShown } from '../criteria.ts';
import { SIBLING, TWIN } from '../samples.ts';
import { resolved } from '../structured.ts';
import { TEXTS } from '../texts.ts';
import type { ToolRule } from '../types.ts';

const UNIONS = ['anyOf', 'oneOf', 'allOf'];

/** The schema of the whole input, and those of its branches. */
const partsOf = (schema: Json): Json[] => {
  const root = resolved(schema, schema);
  const branches = UNIONS.flatMap((key) => own(root, key) ?? []);
  return [root, ...branches.map((branch) => resolved(branch, schema))];
};

const namesOfBranches = (tool: Contract): string[] =>
  branchesOf(tool).flatMap(({ name }) => (name === undefined ? [] : [name]));

/** The values that distinguish the branches of a union. */
const tagsOf = (parts: readonly Json[]): string[] =>
  parts
    .slice(1)
    .flatMap((part) => Object.values(propertiesOf(part)).map((property) => own(property, 'const')))
    .filter((value): value is string => typeof value === 'string');

/** Whether a text holds a word as such: "valid" does not name `id`. */
const names = (text: string, word: string): boolean => {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + word.length] ?? ' '}`;
    if (!/[\p{L}\p{N}_]/u.test(around)) return true;
  }
  return false;
};

export const rawTwinDescription: ToolRule = {
  id: 'raw-twin-description',
  purpose:
    'The description of a twin is the contract that the caller sees: it names the required fields, the optional ones and the branches, within the 4,096 characters that the client shows.',
  at: 'tool',
  governance: TEXTS.registration,
  find: (twin, list) => {
    const sibling = siblingOf(twin, list);
    if (sibling === undefined) return [];
    const parts = partsOf(sibling.inputSchema);
    const fields = [...new Set(parts.flatMap((part) => Object.keys(propertiesOf(part))))];
    const required = new Set(parts.flatMap((part) => own(part, 'required') ?? []) as unknown[]);
    const branches = [...new Set([...namesOfBranches(sibling), ...tagsOf(parts)])];
    const [shown, whole] = [surelyShown(twin.description), twin.description ?? ''];
    const told = (kind: string, what: string, wanted: readonly string[]) => {
      const missing = wanted.filter((word) => !names(shown, word));
      if (missing.length === 0) return [];
      const late = missing.every((word) => names(whole, word));
      const how = late ? 'names only behind the 4,096 characters that the client shows' : 'does not name';
      return [{ kind, path: '/description', message: `the description ${how} ${what} ${quoteNames(missing)}` }];
    };
    const must = fields.filter((name) => required.has(name));
    const may = fields.filter((name) => !required.has(name));
    return [
      ...told('required', 'required', must),
      ...told('optional', 'optional', may),
      ...told('branch', 'the branches', branches),
    ];
  },
  examples: [
    {
      what: 'required and optional ones are missing',
      tools: [
        SIBLING,
        { ...TWIN, description: 'Saves a subtitle. Example: {"title": "x"}'.replace('title"', 'title_"') },
      ],
      gives: [
        'error raw-twin-description save_raw /description',
        'error raw-twin-description save_raw /description',
        'error raw-twin-example save_raw /description',
      ],
    },
    {
      what: 'branches of a union, and such as a gateway tells of',
      tools: [
        {
          ...SIBLING,
          branches: ['short', 'long'],
          inputSchema: { type: 'object', properties: { note: { anyOf: [{ type: 'string' }, { type: 'object' }] } } },
        },
        { ...TWIN, description: 'payload: note, as a short text. {"note": "x"}' },
      ],
      gives: ['error raw-twin-description save_raw /description'],
    },
    {
      what: 'named where no client shows it',
      tools: [SIBLING, { ...TWIN, description: `{"title": "x"}${' and so on'.repeat(500)}; pinned is optional` }],
      gives: ['error raw-twin-description save_raw /description'],
    },
  ],
};
