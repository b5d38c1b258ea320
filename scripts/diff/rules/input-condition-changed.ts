import { pointer } from '../../contract/json-pointer.ts';
import { sameJson } from '../../contract/same.ts';
import { isObject, type JsonObject, own } from '../../contract/types.ts';
import { type Shown, say } from '../../text/shown.ts';
import { besideText, conditionText } from '../conditions.ts';
import { conditionAt, objectOf } from '../places.ts';
import type { Finding, Rule, SchemaPair } from '../types.ts';

const PARTS = ['if', 'then', 'else'] as const;

const partsOf = (schema: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => (PARTS as readonly string[]).includes(keyword)));

const cameOrWent = (text: Shown, came: boolean): Pick<Finding, 'kind' | 'message'> => ({
  kind: came ? 'came' : 'went',
  message: came ? say`now ${text}` : say`no longer ${text}`,
});

/** A condition that only one side has, or a part of it on the same condition. */
const ofCondition = ({ before, after }: SchemaPair): Finding[] => {
  const [had, has] = [partsOf(before), partsOf(after)];
  const differing = PARTS.filter((keyword) => !sameJson(own(had, keyword), own(has, keyword)));
  const [first] = differing;
  const came = differing.every((keyword) => own(had, keyword) === undefined);
  const went = differing.every((keyword) => own(has, keyword) === undefined);
  if (first === undefined || came === went) return [];
  const whole = came ? has : had;
  const text = conditionText({
    if: whole.if ?? true,
    ...Object.fromEntries(differing.map((one) => [one, whole[one] ?? true])),
  });
  if (text === undefined) return [];
  return [{ ...cameOrWent(text, came), keywords: differing, path: `/${first}`, before: had[first], after: has[first] }];
};

/** What is asked for beside parameters, where all that came or went can be told. */
const ofDependents = ({ before, after }: SchemaPair): Finding[] => {
  const [old, now] = [own(before, 'dependentSchemas'), own(after, 'dependentSchemas')];
  if (![old, now].every((map) => map === undefined || isObject(map))) return [];
  const [had, has] = [objectOf(old), objectOf(now)];
  const names = [...new Set([...Object.keys(had), ...Object.keys(has)])].filter(
    (name) => Object.hasOwn(had, name) !== Object.hasOwn(has, name),
  );
  const found = names.flatMap((name): Finding[] => {
    const came = Object.hasOwn(has, name);
    const text = besideText(name, came ? has[name] : had[name]);
    if (text === undefined) return [];
    const path = `/dependentSchemas${pointer(name)}`;
    const keywords = ['dependentSchemas'];
    return [{ ...cameOrWent(text, came), keywords, path, before: had[name], after: has[name] }];
  });
  return found.length === names.length ? found : [];
};

export const inputConditionChanged: Rule<SchemaPair> = {
  id: 'input-condition-changed',
  purpose: 'Something is asked for only where another parameter is given, or has a certain value; or it no longer is.',
  at: 'schema',
  keywords: [...PARTS, 'dependentSchemas'],
  find: (pair) => (conditionAt(pair.path) === undefined ? [...ofCondition(pair), ...ofDependents(pair)] : []),
  examples: [
    {
      what: 'required with one value of another parameter',
      before: { type: 'object', properties: { mode: { type: 'string' }, reason: { type: 'string' } } },
      after: {
        type: 'object',
        properties: { mode: { type: 'string' }, reason: { type: 'string' } },
        if: { properties: { mode: { const: 'force' } }, required: ['mode'] },
        // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
        then: { required: ['reason'] },
      },
      gives: ['breaking input-condition-changed /inputSchema/if'],
    },
    {
      what: 'no longer required beside another parameter',
      before: {
        type: 'object',
        properties: { card: { type: 'string' }, name: { type: 'string' } },
        dependentSchemas: { card: { required: ['name'] } },
      },
      after: { type: 'object', properties: { card: { type: 'string' }, name: { type: 'string' } } },
      gives: ['compatible input-condition-changed /inputSchema/dependentSchemas/card, quiet'],
    },
  ],
};
