import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { describe, it } from 'node:test';
import Ajv from 'ajv/dist/2020.js';
import { patiently } from '../scripts/contract/bounded.ts';
import { namesIn } from '../scripts/contract/json-pointer.ts';
import { readToolList } from '../scripts/contract/read.ts';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { diffContract } from '../scripts/diff/diff.ts';
import type { FoundChange } from '../scripts/diff/types.ts';
import { judge } from '../scripts/judge/judge.ts';
import { instance, random } from './random-schema.ts';
import { readJsonFile, shared } from './shared.ts';

const captures = shared('corpus/captures');
const truth = shared('corpus/truth');

/** One difference that an independent differ found between two captures. */
interface Difference {
  where?: string;
  kind: string;
  path: string;
  keyword?: string;
  before?: unknown;
  after?: unknown;
  effectiveSame?: boolean;
  nestedIn?: string;
}

interface Pair {
  what: string;
  before: Contract;
  after: Contract;
  differences: Difference[];
}

/** A JSON Pointer into our contract in the form of the independent differ: `$.a[]<anyOf:1>/type`. */
const placeOf = (path: string): string => {
  const steps = namesIn(path).slice(1);
  let place = '$';
  for (let at = 0; at < steps.length; at++) {
    const [step, next] = [steps[at] as string, steps[at + 1] ?? ''];
    const takesNext = at + 1 < steps.length;
    if (step === 'properties' && takesNext) place += `.${next}`;
    else if (step === 'prefixItems' && takesNext) place += `[${next}]`;
    else if (['$defs', 'anyOf', 'oneOf', 'allOf', 'definitions'].includes(step) && takesNext)
      place += `<${step}:${next}>`;
    else {
      place += step === 'items' ? '[]' : `/${step}`;
      continue;
    }
    at++;
  }
  return place;
};

const pairs = (): Pair[] =>
  readdirSync(truth.path, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const found = readJsonFile(`${truth.path}/${file}`) as {
        old: string;
        new: string;
        tools: Record<string, { differences?: Difference[] }>;
      };
      const load = (version: string) => {
        const answer = readJsonFile(`${captures.path}/${file.split(sep)[0]}/${version}.json`) as Json;
        return new Map(readToolList(answer).tools.map((tool) => [tool.name, tool]));
      };
      const [before, after] = [load(found.old), load(found.new)];
      return [...before].flatMap(([name, old]) => {
        const now = after.get(name);
        const { differences = [] } = found.tools[name] ?? {};
        return now ? [{ what: `${file} ${name}`, before: old, after: now, differences }] : [];
      });
    });

type Ours = FoundChange & { place: string };

/** Which of our findings matches a difference, by kind. */
const STANDS_FOR: Record<string, (ours: Ours, difference: Difference) => boolean> = {
  annotations_changed: ({ rule }) => rule === 'tool-hint-changed',
  tool_description_changed: ({ rule }) => rule === 'tool-description-changed',
  tool_title_changed: ({ rule }) => rule === 'tool-title-changed',
  property_added: ({ rule, place, renamedTo }, { path }) =>
    (rule === 'input-property-added' && place === path) ||
    (rule === 'input-property-renamed' && place.replace(/[^.]+$/, '') + renamedTo === path),
  property_removed: ({ rule, place }, { path }) => /^input-property-(removed|renamed)$/.test(rule) && place === path,
  additionalProperties_changed: ({ place }, { path }) => place.startsWith(`${path}/additionalProperties`),
  type_changed: ({ place }, { path }) => place === `${path}/type`,
  description_changed: ({ place }, { path }) => place === `${path}/description`,
  default_changed: ({ place }, { path }) => place === `${path}/default`,
  enum_introduced: ({ place }, { path }) => place === `${path}/enum`,
  enum_added: ({ place }, { path }) => place === `${path}/enum`,
  enum_removed: ({ place }, { path }) => place === `${path}/enum`,
  keyword_changed: ({ place }, { path, keyword }) => place === `${path}/${keyword}`,
  became_required: ({ rule, place }, { path }) => rule === 'input-property-became-required' && place === path,
  no_longer_required: ({ rule, place }, { path }) => rule === 'input-property-became-optional' && place === path,
  branch_added: ({ rule, place }, { path, keyword }) =>
    rule === 'input-branch-changed' && place.startsWith(`${path}<${keyword}`),
  branch_removed: ({ rule, place }, { path, keyword }) =>
    rule === 'input-branch-changed' && place.startsWith(`${path}<${keyword}`),
};

const isOpen = (value: unknown): boolean =>
  value === undefined || value === null || value === true || JSON.stringify(value) === '{}';

/** Differences that do not matter to a caller, and why. */
const isNoise = ({ kind, keyword, before, after, effectiveSame }: Difference): boolean =>
  kind === 'tool_field_changed' || // `execution` and other fields that are not part of the contract
  kind === 'definition_added' ||
  kind === 'definition_removed' || // a definition alone has no effect: only its use has
  (kind === 'additionalProperties_changed' && isOpen(before) && isOpen(after)) ||
  (kind === 'type_changed' && effectiveSame === true) ||
  (kind === 'keyword_changed' && /^(\$schema|\$ref|required\(.*)$/.test(keyword ?? '')) ||
  (kind === 'keyword_changed' &&
    keyword === 'properties' &&
    [before, after].every((one) => !one || JSON.stringify(one) === '{}'));

/** Names of the definitions that a schema reaches from its root. */
const reached = (schema: Json): Set<string> => {
  const { $defs, ...rest } = schema as { $defs?: JsonObject } & JsonObject;
  const names = new Set<string>();
  const open: Json[] = [rest as JsonObject];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    for (const [, name = ''] of JSON.stringify(one).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      if (!names.has(name) && $defs?.[name] !== undefined) open.push($defs[name] as Json);
      names.add(name);
    }
  }
  return names;
};

/** A definition that nothing refers to means nothing. */
const isUnused = ({ path }: Difference, { before, after }: Pair): boolean => {
  const name = /^\$<\$defs:([^>]+)>/.exec(path)?.[1];
  return name !== undefined && ![before, after].some(({ inputSchema }) => reached(inputSchema).has(name));
};

/** If a value became a choice, its branches are compared, and changes are reported there. */
const isInBranches = ({ path }: Difference, ours: Ours[]): boolean => {
  for (
    let place = path;
    place !== '$' && place !== '';
    place = place.replace(/(\.[^.<[\]]+|\[\d*\]|<[^>]*>|\/[^/]*)$/, '')
  ) {
    if (
      ours.some(
        (one) => one.place.startsWith(`${place}<`) || one.place === `${place}/anyOf` || one.place === `${place}/oneOf`,
      )
    )
      return true;
    if (!/(\.[^.<[\]]+|\[\d*\]|<[^>]*>|\/[^/]*)$/.test(place)) return false;
  }
  return false;
};

describe('the diff, on real releases', { skip: truth.skip || captures.skip }, () => {
  const all = truth.skip || captures.skip ? [] : pairs();
  const found = new Map(
    all.map((pair) => [
      pair,
      patiently(() => diffContract(pair.before, pair.after)).map(
        (change): Ours => ({ ...change, place: placeOf(change.path) }),
      ),
    ]),
  );

  it('finds every difference that an independent differ found', () => {
    const missed: string[] = [];
    let direct = 0;
    for (const pair of all) {
      const ours = found.get(pair) ?? [];
      for (const difference of pair.differences) {
        if (difference.nestedIn || isNoise(difference) || isUnused(difference, pair)) continue;
        const isOutput = difference.where === 'outputSchema' || difference.kind.startsWith('outputSchema');
        const stands = isOutput ? ({ rule }: Ours) => rule === 'tool-output-changed' : STANDS_FOR[difference.kind];
        if (stands && ours.some((one) => stands(one, difference))) direct++;
        else if (!isInBranches(difference, ours))
          missed.push(`${pair.what}: ${JSON.stringify(difference).slice(0, 200)}`);
      }
    }
    assert.deepEqual(missed, []);
    assert.ok(direct > 1_000, `${direct} differences have a finding of their own`);
  });

  it('invents none', () => {
    const invented: string[] = [];
    for (const pair of all) {
      const places = pair.differences.map(({ path, where, kind }) => (where === undefined && !path ? kind : path));
      for (const ours of found.get(pair) ?? []) {
        if (ours.rule.startsWith('tool-') || ours.rule === 'input-schema-rewritten') continue;
        // Below a place that changed its form, our findings are more precise than the differ's.
        const known = places.some(
          (path) => path && (ours.place.startsWith(path) || path.startsWith(ours.place.replace(/\/[^/]*$/, ''))),
        );
        if (!known) invented.push(`${pair.what}: ${ours.rule} ${ours.place}`);
      }
    }
    assert.deepEqual(invented, []);
  });

  it('would have blocked hardly a call that was still right, and told of few', () => {
    const ajv = new Ajv({
      strict: false,
      ownProperties: true,
      validateFormats: false,
      logger: false,
      validateSchema: false,
      messages: false,
      code: { optimize: false },
    });
    const valid = ({ inputSchema }: Contract) => {
      const { $schema: _dialect, ...schema } = inputSchema as JsonObject;
      return ajv.compile(schema);
    };
    const isChanged = (pair: Pair) => (found.get(pair) ?? []).length > 0;
    const changed = all.filter(isChanged);
    const [stopped, asked] = [new Set<string>(), new Set<string>()];
    const told = new Map<string, number>();
    const right = { all: 0, changed: 0, told: 0 };
    let replayed = 0;
    for (const pair of all) {
      const [before, after] = [valid(pair.before), valid(pair.after)];
      const source = random(pair.what.length);
      for (let count = 0; count < 12; count++) {
        const schema = pair.before.inputSchema as JsonObject;
        const args = instance(source, schema, schema) as JsonObject;
        if (!before(args) || !after(args)) continue;
        if (!isChanged(pair)) {
          right.all++;
          continue;
        }
        // A call that the server would partly ignore, or understand differently, is no longer right.
        replayed++;
        const { decision, reasons, changes } = judge({
          believed: pair.before,
          live: pair.after,
          tools: [pair.after],
          args,
          policy: { mode: 'guard', trusted: false },
          settled: () => false,
        });
        const wrong = reasons.some(({ change }) => change && /^input-property-(removed|renamed)$/.test(change.rule));
        if (decision === 'deny' && !wrong) stopped.add(pair.what);
        if (decision === 'ask') asked.add(pair.what);
        if (decision === 'deny') continue;
        right.all++;
        right.changed++;
        if (decision === 'silence') continue;
        right.told++;
        const news = changes.filter(({ quiet }) => !quiet).map(({ rule, level }) => `${rule} (${level})`);
        for (const kind of new Set(news)) told.set(kind, (told.get(kind) ?? 0) + 1);
      }
    }
    assert.ok(replayed > 1_000, `${replayed} calls`);
    console.log(
      `# ${changed.length} changed tools, ${replayed} calls valid under both: ${stopped.size} tools stopped one, ${asked.size} asked about one`,
    );
    const share = (part: number, whole: number): string => `${Math.round((100 * part) / whole)} %`;
    console.log(
      `# ${right.all} right calls: told of ${share(right.told, right.all)}; of ${right.changed} of changed tools, ${share(right.told, right.changed)}, because of`,
    );
    for (const [kind, count] of [...told].sort((a, b) => b[1] - a[1]).slice(0, 8))
      console.log(`#   ${share(count, right.changed)} ${kind}`);
    assert.ok(right.told <= right.all * 0.16, `told of ${right.told} right calls of ${right.all}`);
    assert.equal(stopped.size, 0);
    assert.ok(asked.size <= changed.length * 0.1, `${asked.size} of ${changed.length} tools asked`);
  });
});
