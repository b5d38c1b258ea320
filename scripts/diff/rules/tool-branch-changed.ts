import { type Form, formsOf, isSameForm } from '../../contract/branch-marks.ts';
import { branchKey } from '../../contract/branches.ts';
import { defined } from '../../contract/defined.ts';
import { meaningOfSchema } from '../../contract/meaning.ts';
import { sameJson } from '../../contract/same.ts';
import type { Contract, Json } from '../../contract/types.ts';
import { quoteName } from '../../text/quote.ts';
import { joined, type Shown, say } from '../../text/shown.ts';
import type { BranchSides, Finding, Rule, ToolPair } from '../types.ts';

const MOST_NAMED = 8;

/** A string by its text; any other value as JSON. */
const shownValue = (written: string): Shown => {
  const value: unknown = JSON.parse(written);
  return quoteName(typeof value === 'string' ? value : written);
};

/** A branch by its name, or else by the values that identify it in calls. */
export const shownForm = ({ branch, marks: [mark] }: Form): Shown => {
  if (branch.name !== undefined) return quoteName(branch.name);
  if (mark === undefined) return say`without a name`;
  return say`where ${quoteName(mark.way.join('.'))} is ${joined([...mark.values].slice(0, 3).map(shownValue), ', ')}`;
};

const namesOf = (branches: readonly Form[]): Shown => {
  const shown = joined(branches.slice(0, MOST_NAMED).map(shownForm), ', ');
  return branches.length > MOST_NAMED ? say`${shown} and ${branches.length - MOST_NAMED} more` : shown;
};

/** The list as a whole was added or removed: as far as we know, its branches existed before, or still do. */
const listChanged = (kind: 'told' | 'untold', branches: readonly Form[], before?: Json, after?: Json): Finding => ({
  kind,
  path: '/branches',
  message:
    kind === 'told'
      ? say`its branches are listed now: ${namesOf(branches)}`
      : say`its branches are no longer listed: ${namesOf(branches)}`,
  before,
  after,
});

const within = (had: Form, has: Form): Finding[] => {
  const [old, now] = [had.branch, has.branch];
  const found: Finding[] = [];
  const name = shownForm(has);
  if (old.name !== now.name) {
    const message = say`branch ${shownForm(had)} is called ${name} now, and is meant by the same values`;
    found.push({ kind: 'renamed', path: now.path, message, ...defined({ before: old.name, after: now.name }) });
  }
  if ((old.schema === undefined) !== (now.schema === undefined)) {
    const came = now.schema !== undefined;
    found.push({
      kind: came ? 'described' : 'undescribed',
      path: now.path,
      message: came
        ? say`branch ${name}: what it takes is listed now`
        : say`branch ${name}: what it takes is no longer listed`,
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

/** Pairs the branches of two lists: by name and values, by the values alone, else by the name. */
const pairForms = (
  had: readonly Form[],
  has: readonly Form[],
): { pairs: [Form, Form][]; gone: Form[]; came: Form[] } => {
  const pairs: [Form, Form][] = [];
  const [open, free] = [new Set(had), new Set(has)];
  const pair = (old: Form, now: Form | undefined): void => {
    if (now === undefined || !free.has(now)) return;
    pairs.push([old, now]);
    open.delete(old);
    free.delete(now);
  };
  const byKey = new Map(has.map((form) => [branchKey(form.branch), form]));
  const alike = (old: Form): Form | undefined => byKey.get(branchKey(old.branch));
  const isPlain = ({ marks }: Form) => marks.length === 0;
  for (const old of had) {
    const now = alike(old);
    if (now && (isPlain(old) || isPlain(now) || isSameForm(old, now))) pair(old, now);
  }
  for (const old of [...open]) {
    const shown = [...free].filter((now) => isSameForm(old, now));
    if (shown.length === 1) pair(old, shown[0]);
  }
  for (const old of [...open]) pair(old, alike(old));
  return { pairs, gone: [...open], came: [...free] };
};

const find = ({ before, after }: ToolPair): Finding[] => {
  if (before.branches === undefined && after.branches === undefined) return [];
  const [had, has] = [formsOf(before), formsOf(after)];
  if (before.branches === undefined) return [listChanged('told', has, undefined, after.branches)];
  if (after.branches === undefined) return [listChanged('untold', had, before.branches)];
  const { pairs, gone, came } = pairForms(had, has);
  return [
    ...gone.map((form): Finding => {
      const { name, path, about, schema } = form.branch;
      return {
        kind: 'removed',
        path,
        message: say`branch removed: ${shownForm(form)}`,
        of: { had: form },
        ...defined({ branch: name }),
        before: name ?? schema ?? about,
      };
    }),
    ...came.map((form): Finding => {
      const { name, path, about, schema } = form.branch;
      return { kind: 'added', path, message: say`branch added: ${shownForm(form)}`, after: name ?? schema ?? about };
    }),
    ...pairs.flatMap(([old, now]) => within(old, now)),
  ];
};

/** Branches that both contracts list with what they take, where that differs. */
export const changedBranches = (before: Contract, after: Contract): Required<BranchSides>[] => {
  if (before.branches === undefined || after.branches === undefined) return [];
  return pairForms(formsOf(before), formsOf(after)).pairs.flatMap(([had, has]) => {
    const [old, now] = [had.branch.schema, has.branch.schema];
    if (old === undefined || now === undefined) return [];
    return sameJson(meaningOfSchema(old), meaningOfSchema(now)) ? [] : [{ had, has }];
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
      gives: ['compatible tool-branch-changed /branches/0'],
    },
    {
      what: 'one less, of a map',
      before: listing({ note: {}, link: {} }),
      after: listing({ note: {} }),
      gives: ['breaking tool-branch-changed /branches/link, deny when used'],
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
      gives: ['compatible input-property-added /branches/0/schema/properties/tags, quiet'],
    },
    {
      what: 'another name for what the same value means',
      before: listing([{ name: 'note', schema: { properties: { kind: { const: 'n' } } } }]),
      after: listing([{ name: 'memo', schema: { properties: { kind: { const: 'n' } } } }]),
      gives: ['compatible tool-branch-changed /branches/0'],
    },
    {
      what: 'what a form takes is listed for the first time',
      before: listing(['note']),
      after: listing([{ name: 'note', schema: { properties: { title: { type: 'string' } } } }]),
      gives: ['compatible tool-branch-changed /branches/0'],
    },
    {
      what: 'what a form takes is no longer listed',
      before: listing([{ name: 'note', schema: { properties: { title: { type: 'string' } } } }]),
      after: listing(['note']),
      gives: ['unclassified tool-branch-changed /branches/0'],
    },
    {
      what: 'what is said of a form',
      before: listing([{ name: 'note', description: 'A text.' }]),
      after: listing([{ name: 'note', description: 'A short text.' }]),
      gives: ['semantic tool-branch-changed /branches/0'],
    },
    {
      what: 'listed for the first time',
      before: { name: 'a', inputSchema: { type: 'object' } },
      after: listing(['note']),
      gives: ['compatible tool-branch-changed /branches'],
    },
    {
      what: 'the list is gone: what became of them is unknown',
      before: listing(['note']),
      after: { name: 'a', inputSchema: { type: 'object' } },
      gives: ['unclassified tool-branch-changed /branches'],
    },
  ],
};
