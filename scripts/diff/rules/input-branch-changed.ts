import { wayOf } from '../../contract/references.ts';
import { type Json, own } from '../../contract/types.ts';
import { plainName, quoteName } from '../../text/quote.ts';
import { joined, type Shown, say } from '../../text/shown.ts';
import { pairBranches } from '../branches.ts';
import type { Finding, Rule, SchemaPair } from '../types.ts';

const KEYWORDS = ['allOf', 'anyOf', 'oneOf'] as const;

/** The name of a branch in a message: without the server's prose. */
const nameOf = (branch: Json | undefined): Shown => {
  const ref = own(branch, '$ref');
  if (typeof ref === 'string') return quoteName(wayOf(ref)?.at(-1) ?? ref.split('/').at(-1) ?? ref);
  const properties = own(branch, 'properties');
  const names = Object.keys((properties as object | undefined) ?? {});
  if (names.length > 0) return say`{ ${joined(names.slice(0, 4).map(plainName), ', ')} }`;
  const type = own(branch, 'type');
  return typeof type === 'string' ? quoteName(type) : say`one`;
};

/** How libraries write that a parameter may be left out. */
const isNull = (branch: Json | undefined): boolean => own(branch, 'type') === 'null';

const find = ({ before, after }: SchemaPair): Finding[] =>
  KEYWORDS.flatMap((keyword) => {
    const [had, has] = [own(before, keyword), own(after, keyword)];
    if (had === undefined && has === undefined) return [];
    if (!Array.isArray(had) || !Array.isArray(has)) {
      const came = Array.isArray(has);
      return [
        {
          kind: came ? 'came' : 'went',
          path: `/${keyword}`,
          message: say`${keyword} ${came ? 'added' : 'dropped'}`,
          before: had,
          after: has,
        },
      ];
    }
    const { removed, added } = pairBranches(had, has);
    return [
      ...removed.map(
        (index): Finding => ({
          kind: keyword === 'allOf' ? 'wider' : 'narrower',
          path: `/${keyword}/${index}`,
          message: say`branch removed: ${nameOf(had[index])} of ${keyword}`,
          before: had[index],
        }),
      ),
      ...added.map(
        (index): Finding => ({
          kind: keyword === 'allOf' ? 'narrower' : isNull(has[index]) ? 'nullable' : 'wider',
          path: `/${keyword}/${index}`,
          message: say`branch added: ${nameOf(has[index])} of ${keyword}`,
          after: has[index],
        }),
      ),
    ];
  });

export const inputBranchChanged: Rule<SchemaPair> = {
  id: 'input-branch-changed',
  purpose: 'One of several forms of a value came or went. The forms that stay are compared one by one.',
  at: 'schema',
  keywords: KEYWORDS,
  find,
  examples: [
    {
      what: 'one form less',
      before: { type: 'object', properties: { to: { anyOf: [{ type: 'string' }, { type: 'integer' }] } } },
      after: { type: 'object', properties: { to: { anyOf: [{ type: 'string' }] } } },
      gives: ['input-branch-changed /inputSchema/properties/to/anyOf/1'],
    },
    {
      what: 'one form more',
      before: { type: 'object', properties: { to: { anyOf: [{ type: 'string' }] } } },
      after: { type: 'object', properties: { to: { anyOf: [{ type: 'string' }, { type: 'integer' }] } } },
      gives: ['input-branch-changed /inputSchema/properties/to/anyOf/1'],
    },
    {
      what: 'none of the forms, which says no more than leaving it out',
      before: { type: 'object', properties: { to: { type: 'string' } } },
      after: { type: 'object', properties: { to: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
      gives: ['input-branch-changed /inputSchema/properties/to/anyOf/1'],
    },
    {
      what: 'the same form, with another word in it, through a definition',
      before: {
        type: 'object',
        properties: { to: { $ref: '#/$defs/to' } },
        $defs: { to: { oneOf: [{ type: 'string', description: 'a name' }, { type: 'integer' }] } },
      },
      after: {
        type: 'object',
        properties: { to: { $ref: '#/$defs/to' } },
        $defs: { to: { oneOf: [{ type: 'integer' }, { type: 'string', description: 'an address' }] } },
      },
      gives: ['input-property-words-changed /inputSchema/$defs/to/oneOf/0/description'],
    },
  ],
};
