import { type Branch, branchesOf, branchKey } from '../../contract/branches.ts';
import { meaningOfSchema } from '../../contract/meaning.ts';
import { sameJson } from '../../contract/same.ts';
import type { Contract, Json } from '../../contract/types.ts';
import { quoteName } from '../../text/quote.ts';
import { joined, type Shown, say } from '../../text/shown.ts';
import type { Finding, Rule, ToolPair } from '../types.ts';

const MOST_NAMED = 8;

const shownName = ({ name }: Branch): Shown => (name === undefined ? say`one without a name` : quoteName(name));

const namesOf = (branches: readonly Branch[]): Shown => {
  const shown = joined(branches.slice(0, MOST_NAMED).map(shownName), ', ');
  return branches.length > MOST_NAMED ? say`${shown} and ${branches.length - MOST_NAMED} more` : shown;
};

/** The list came or went as a whole: what it lists was there before, or still is, as far as anybody can tell. */
const listChanged = (kind: 'told' | 'untold', branches: readonly Branch[], before?: Json, after?: Json): Finding => ({
  kind,
  path: '/branches',
  message:
    kind === 'told'
      ? say`its branches are listed now: ${namesOf(branches)}`
      : say`its branches are not listed any more: ${namesOf(branches)}`,
  before,
  after,
});

const within = (old: Branch, now: Branch): Finding[] => {
  const found: Finding[] = [];
  const name = shownName(now);
  if ((old.schema === undefined) !== (now.schema === undefined)) {
    const came = now.schema !== undefined;
    found.push({
      kind: came ? 'described' : 'undescribed',
      path: now.path,
      message: came
        ? say`branch ${name}: what it takes is listed now`
        : say`branch ${name}: what it takes is not listed any more`,
      before: old.schema,
      after: now.schema,
    });
  }
  if (!sameJson(old.about, now.about)) {
    const message = say`branch ${name}: what is said of it changed`;
    found.push({ kind: 'words', path: now.path, message, before: old.about, after: now.about });
  }
  return found;
};

const byKey = (branches: readonly Branch[]): Map<string, Branch> =>
  new Map(branches.map((branch) => [branchKey(branch), branch]));

const find = ({ before, after }: ToolPair): Finding[] => {
  const [had, has] = [branchesOf(before), branchesOf(after)];
  if (before.branches === undefined && after.branches === undefined) return [];
  if (before.branches === undefined) return [listChanged('told', has, undefined, after.branches)];
  if (after.branches === undefined) return [listChanged('untold', had, before.branches)];
  const [old, now] = [byKey(had), byKey(has)];
  const removed = [...old].filter(([key]) => !now.has(key)).map(([, branch]) => branch);
  const added = [...now].filter(([key]) => !old.has(key)).map(([, branch]) => branch);
  return [
    ...removed.map(
      (branch): Finding => ({
        kind: 'removed',
        path: branch.path,
        message: say`branch removed: ${shownName(branch)}`,
        ...(branch.name === undefined ? {} : { branch: branch.name }),
        before: branch.name ?? branch.about,
      }),
    ),
    ...added.map(
      (branch): Finding => ({
        kind: 'added',
        path: branch.path,
        message: say`branch added: ${shownName(branch)}`,
        after: branch.name ?? branch.about,
      }),
    ),
    ...[...old].flatMap(([key, branch]) => {
      const same = now.get(key);
      return same === undefined ? [] : within(branch, same);
    }),
  ];
};

/** Branches that both contracts list with what they take, where that differs. */
export const changedBranches = (before: Contract, after: Contract): { old: Branch; now: Branch }[] => {
  const current = byKey(branchesOf(after));
  return [...byKey(branchesOf(before))].flatMap(([key, old]) => {
    const now = current.get(key);
    if (old.schema === undefined || now?.schema === undefined) return [];
    return sameJson(meaningOfSchema(old.schema), meaningOfSchema(now.schema)) ? [] : [{ old, now }];
  });
};

const listing = (branches: Json) => ({ name: 'a', inputSchema: { type: 'object' }, branches });

export const toolBranchChanged: Rule<ToolPair> = {
  id: 'tool-branch-changed',
  purpose:
    'A form of the input that the server lists apart from the schema came or went. A new one breaks no call, but the model does not know it; a call that names one that is gone is stopped. What a form takes is compared like an input schema, for the calls that name it.',
  at: 'tool',
  keywords: [],
  find,
  examples: [
    {
      what: 'one more, by its name alone; their order means nothing',
      before: listing(['note', 'link']),
      after: listing(['photo', 'link', 'note']),
      gives: ['tool-branch-changed /branches/0'],
    },
    {
      what: 'one less, of a map',
      before: listing({ note: {}, link: {} }),
      after: listing({ note: {} }),
      gives: ['tool-branch-changed /branches/link'],
    },
    {
      what: 'listed as objects, and no other ones',
      before: listing(['note']),
      after: listing([{ name: 'note' }]),
      gives: [],
    },
    {
      what: 'what a form takes',
      before: listing([{ name: 'note', schema: { type: 'object', properties: { title: { type: 'string' } } } }]),
      after: listing([
        {
          name: 'note',
          schema: { type: 'object', properties: { title: { type: 'string' }, tags: { type: 'array' } } },
        },
      ]),
      gives: ['input-property-added /branches/0/schema/properties/tags'],
    },
    {
      what: 'what is said of a form',
      before: listing([{ name: 'note', description: 'A text.' }]),
      after: listing([{ name: 'note', description: 'A short text.' }]),
      gives: ['tool-branch-changed /branches/0'],
    },
    {
      what: 'listed for the first time',
      before: { name: 'a', inputSchema: { type: 'object' } },
      after: listing(['note']),
      gives: ['tool-branch-changed /branches'],
    },
    {
      what: 'no list any more: nobody can tell what became of them',
      before: listing(['note']),
      after: { name: 'a', inputSchema: { type: 'object' } },
      gives: ['tool-branch-changed /branches'],
    },
  ],
};
