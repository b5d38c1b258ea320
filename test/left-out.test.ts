// A call that leaves a parameter out: whether that means what it meant.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Contract, Json, JsonObject } from '../scripts/contract/types.ts';
import { judge } from '../scripts/judge/judge.ts';

const tool = (properties: JsonObject): Contract => ({
  name: 'work_on',
  description: 'Works on it.',
  inputSchema: { type: 'object', properties: { id: { type: 'string' }, ...properties }, required: ['id'] },
});

/** Whether a call that gives none of the parameters is sent. */
const isSent = (before: JsonObject, after: JsonObject, args: JsonObject = {}): boolean => {
  const [believed, live] = [tool(before), tool(after)];
  const policy = { mode: 'guard', trusted: false } as const;
  const call = { id: '1', ...args };
  const { decision } = judge({ believed, live, tools: [live], args: call, policy, settled: () => false });
  return decision === 'silence' || decision === 'notice';
};

type Row = [what: string, before: JsonObject, after: JsonObject, args?: JsonObject];

const each = (rows: readonly Row[], sent: boolean) => {
  for (const [what, before, after, args] of rows)
    it(what, () => {
      assert.equal(isSent(before, after, args), sent);
    });
};

describe('a default in another spelling', () => {
  const one = (name: string, value: Json, values?: Json[], more: JsonObject = {}): JsonObject => ({
    [name]: { default: value, ...(values && { enum: values }), ...more },
  });
  const open = ['open', 'closed'];
  const OPEN = ['OPEN', 'CLOSED'];

  describe('is the same value', () => {
    each(
      [
        ['in capitals, with its list', one('x', 'open', open), one('x', 'OPEN', OPEN)],
        ['with a capital', one('x', 'open', open), one('x', 'Open', ['Open', 'Closed'])],
        ['with a hyphen', one('x', 'not_yet', ['not_yet']), one('x', 'not-yet', ['not-yet'])],
        ['in camel case', one('x', 'onHold', ['onHold', 'done']), one('x', 'on_hold', ['on_hold', 'done'])],
        ['that has a list now', one('x', 'open'), one('x', 'OPEN', OPEN)],
        ['of which the name tells that it is one of a few', one('sort_direction', 'asc'), one('sort_direction', 'ASC')],
        [
          'of which the words tell that',
          one('x', 'strict', undefined, { description: 'Mode of the check' }),
          one('x', 'STRICT', undefined, { description: 'Mode of the check' }),
        ],
        [
          'beside null',
          { x: { anyOf: [{ enum: open }, { type: 'null' }], default: 'open' } },
          { x: { anyOf: [{ enum: OPEN }, { type: 'null' }], default: 'OPEN' } },
        ],
        [
          'of each element',
          { x: { type: 'array', items: { enum: open }, default: ['open'] } },
          { x: { type: 'array', items: { enum: OPEN }, default: ['OPEN'] } },
        ],
        ['as a number', one('x', '25'), one('x', 25)],
        ['as a text', one('x', true), one('x', 'true')],
        ['of a unit that is written out', one('x', 'day', ['day', 'week']), one('x', 'DAY', ['DAY', 'WEEK'])],
      ],
      true,
    );
  });

  describe('may be another value', () => {
    each(
      [
        ['a letter', one('x', 's', ['s', 'm']), one('x', 'S', ['S', 'M'])],
        ['a short unit', one('x', 'kb', ['kb', 'gb']), one('x', 'kB', ['kB', 'gB'])],
        ['how a date is written', one('x', 'dd.mm', ['dd.mm']), one('x', 'DD.MM', ['DD.MM'])],
        ['the same of years alone', one('mode', 'yyyy', ['yyyy']), one('mode', 'YYYY', ['YYYY'])],
        ['an expression', one('mode', String.raw`\d+`), one('mode', String.raw`\D+`)],
        ['a name', one('branch', 'trunk'), one('branch', 'Trunk')],
        ['a name of something that is ordered', one('order_by', 'title'), one('order_by', 'TITLE')],
        ['a text of any kind', one('x', 'staging'), one('x', 'STAGING')],
        ['a list that has both', one('x', 'open', ['open', 'OPEN']), one('x', 'OPEN', ['open', 'OPEN'])],
        ['a list that has both now', one('x', 'open', open), one('x', 'OPEN', [...open, ...OPEN])],
        ['another one of the list', one('x', 'open', open), one('x', 'CLOSED', OPEN)],
        ['another number', one('x', '25'), one('x', 2.5)],
        ['the other of two', one('x', 'true'), one('x', false)],
        [
          'more elements',
          { x: { type: 'array', items: { enum: open }, default: ['open'] } },
          { x: { type: 'array', items: { enum: OPEN }, default: OPEN } },
        ],
      ],
      false,
    );
  });
});

describe('a switch in whose place another one came', () => {
  const one = (name: string, value?: Json, more: JsonObject = {}): JsonObject => ({
    [name]: { type: 'boolean', ...(value !== undefined && { default: value }), ...more },
  });
  const nullable = (name: string): JsonObject => ({
    [name]: { anyOf: [{ type: 'boolean' }, { type: 'null' }], default: null },
  });
  const told = (name: string, description: string): JsonObject => one(name, undefined, { description });
  const within = (properties: JsonObject): JsonObject => ({ options: { type: 'object', properties } });
  const listed = (properties: JsonObject): JsonObject => ({
    list: { type: 'array', items: { type: 'object', properties } },
  });

  const INVERSE = [
    ['apply', 'dry_run'],
    ['commit', 'previewOnly'],
    ['is_private', 'is_public'],
    ['publish', 'draft'],
    ['notify', 'silent'],
    ['active', 'inactive'],
    ['includeDeleted', 'excludeDeleted'],
    ['show_totals', 'hide_totals'],
    ['cache', 'no_cache'],
    ['enable_retry', 'disable_retry'],
    ['send_receipt', 'skip_receipt'],
    ['allow_http', 'https_only'],
    ['read_only', 'allow_writes'],
    ['verify_tls', 'insecure'],
    ['keep_files', 'erase_files'],
  ] as const;
  const both = INVERSE.flatMap(([name, other]) => [
    [name, other],
    [other, name],
  ]) as [string, string][];

  describe('is its opposite, and is off as it was', () => {
    each(
      both.flatMap(([name, other]): Row[] => [
        [`${name} and ${other}`, one(name, false), one(other, false)],
        [`${name} and ${other}, of which no default is told`, one(name, false), one(other)],
        [
          `${name} and ${other}, beside others`,
          { ...one(name, false), max: { type: 'integer' } },
          { ...one(other, false), page: { type: 'string' } },
        ],
      ]),
      false,
    );
    each(
      [
        ['beside null', nullable('public'), nullable('private')],
        ['without any default', one('public'), one('private')],
        ['as the words say', told('public', 'Defaults to false.'), told('private', 'Defaults to false.')],
        ['in an object', within(one('apply', false)), within(one('dry_run', false)), { options: {} }],
        ['in a list', listed(one('apply', false)), listed(one('dry_run', false)), { list: [{}] }],
        ['and on', one('public', true), one('private', true)],
      ],
      false,
    );
  });

  describe('is its opposite, with the opposite default', () => {
    each(
      both.flatMap(([name, other]): Row[] => [
        [`${name} is off, and ${other} is on`, one(name, false), one(other, true)],
        [`${name} is on, and ${other} is off`, one(name, true), one(other, false)],
      ]),
      true,
    );
    each(
      [
        ['as the words say', told('public', 'Defaults to false.'), told('private', 'Defaults to true.')],
        ['where a list has no elements', listed(one('apply', false)), listed(one('dry_run', false)), { list: [] }],
      ],
      true,
    );
  });

  describe('is another one, and both do nothing', () => {
    const others = `lock unlock, archive unarchive, verbose notify, include_images include_videos, can_read can_write,
      force dry_run, upload download, include_users include_inactive_users, delete dry_run, include_tests exclude_docs,
      show_details details, not_private public, skip_tests skip_lint, open close, public public_only`;
    each(
      others.split(',').map((pair): Row => {
        const [name = '', other = ''] = pair.trim().split(' ');
        return [`${name} and ${other}`, one(name, false), one(other, false)];
      }),
      true,
    );
    each([['a list of names', { include: { type: 'array' } }, { exclude: { type: 'array' } }]], true);
  });
});
