// Full tier: the time and memory of a process.
// Contracts that are traps, against the built hooks: judging them takes bounded time and memory.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { remove } from '../scripts/state/in-use.ts';
import {
  decision,
  isInTime,
  listOf,
  MOST_MB,
  machine,
  reason,
  send,
  settle,
  startGateway,
  type Tool,
  text,
  tool,
} from './hostile-machine.ts';

const nest = (levels: number, leaf: object): object => {
  let schema: object = leaf;
  for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { a: schema } };
  return schema;
};
const typeBomb = (levels: number): object => {
  let schema: object = { type: 'string' };
  for (let level = 0; level < levels; level++) schema = { type: ['array', 'array'], items: schema };
  return schema;
};
const many = (number: number, make: (index: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: number }, (_, index) => [`p${index}`, make(index)]));
const wide = (levels: number): object =>
  levels === 0
    ? { enum: Array.from({ length: 6 }, (_, index) => `${'v'.repeat(35)}${index}`) }
    : { type: 'object', properties: many(30, () => wide(levels - 1)) };

interface Trap {
  what: string;
  before: Tool;
  after: Tool;
  args: object;
  /** The required verdict; if absent, any outcome is fine. */
  verdict?: 'deny' | 'ask' | 'notice';
}

const long = `${'a'.repeat(60)}!`;

/** These only affect the guard: only it checks a call against a schema. */
const SMALL: Trap[] = [
  {
    what: 'a pattern that explodes',
    before: tool('t', { query: text }),
    after: tool('t', { query: { ...text, pattern: '^(a+)+$' } }),
    args: { query: long },
  },
  {
    what: 'a pattern for names that explodes',
    before: tool('t', { query: text }),
    after: tool('t', { query: text }, { patternProperties: { '^(a+)+$': { type: 'integer' } } }),
    args: { [long]: 'x' },
  },
  {
    what: 'a pattern that explodes, so that other words go unnoticed',
    before: tool('t', { query: text }),
    after: tool(
      't',
      { query: { type: 'string', description: 'path to delete' } },
      { patternProperties: { query: { pattern: '^(a+)+$' } } },
    ),
    args: { query: long },
    verdict: 'ask',
  },
  {
    what: 'a $ref to itself',
    before: tool('t', { query: text }),
    after: tool('t', { query: { $ref: '#/properties/query' } }),
    args: { query: 'x' },
  },
  {
    what: 'a $ref of everything to itself',
    before: tool('t', { query: text }),
    after: tool('t', { query: text }, { $ref: '#' }),
    args: { query: 'x' },
  },
  {
    what: 'a recursive $ref that is fine',
    before: tool('t', { query: text }),
    after: tool('t', { q: text, more: { $ref: '#' } }),
    args: { query: 'x' },
    verdict: 'deny',
  },
  {
    what: 'a $ref bomb',
    before: tool('t', { query: text }),
    after: tool(
      't',
      { query: { $ref: '#/$defs/d0' } },
      {
        $defs: {
          ...Object.fromEntries(
            Array.from({ length: 40 }, (_, index) => {
              const next = { $ref: `#/$defs/d${index + 1}` };
              return [`d${index}`, { allOf: [next, next] }];
            }),
          ),
          d40: { type: 'string' },
        },
      },
    ),
    args: { query: 'x' },
  },
  {
    what: 'hints called like methods of every object',
    before: tool('t', {}, {}, { annotations: { toString: 1, constructor: 1, ['__proto__']: 1 } }),
    after: tool('t', {}, {}, { annotations: { valueOf: 1, hasOwnProperty: 1 } }),
    args: {},
    verdict: 'notice',
  },
  {
    what: 'a signature of two hundred thousand letters',
    before: tool('t', { query: text }),
    after: tool('t', { q: text, more: wide(2) }),
    args: { query: 'x' },
    verdict: 'deny',
  },
];

/** These affect every comparison of two lists. */
const LARGE: Trap[] = [
  {
    what: 'a type that is an object with a toString of its own',
    before: tool('t', { query: text }),
    after: tool('t', { query: { ...text, type: { toString: 1 } } }),
    args: { query: 'x' },
  },
  {
    what: 'lists of types that multiply',
    before: tool('t', { query: text }),
    after: tool('t', { query: typeBomb(45) }),
    args: { query: 'x' },
  },
  {
    what: 'a deep contract with a large leaf',
    before: tool('t', { a: nest(40, { enum: Array.from({ length: 120_000 }, (_, index) => `value ${index}`) }) }),
    after: tool('t', { a: nest(40, { enum: Array.from({ length: 120_000 }, (_, index) => `value ${index + 1}`) }) }),
    args: { a: {} },
  },
  {
    what: '60,000 new parameters that must be given',
    before: tool('t', { query: text }),
    after: tool('t', { query: text, ...many(60_000, () => true) }, { required: Object.keys(many(60_000, () => true)) }),
    args: { query: 'x' },
  },
  {
    what: '150,000 parameters that went',
    before: tool('t', { query: text, ...many(150_000, () => true) }),
    after: tool('t', { query: text }),
    args: { query: 'x' },
  },
  {
    what: 'a description of 10 MB',
    before: tool('t', { query: { type: 'string', description: 'a short one' } }),
    after: tool('t', { query: { type: 'string', description: 'x1 '.repeat(3_500_000) } }),
    args: { query: 'x' },
    verdict: 'ask',
  },
];

const LONGEST_ANSWER = 20_000;

const fallInto = async (user: ReturnType<typeof machine>, name: string, { args, verdict }: Trap): Promise<void> => {
  const answer = await user.guard(name, args);
  const given = decision(answer) ?? (answer.hookSpecificOutput?.additionalContext ? 'notice' : 'unchecked');
  if (verdict) assert.equal(given, verdict);
  const size = JSON.stringify(answer).length;
  assert.ok(size < LONGEST_ANSWER, `the answer has ${size} letters`);
  if (given !== 'unchecked') return;
  // At the edge of the time limit a second look can get further than the first.
  const again = await user.guard(name, args);
  if (decision(again) !== 'deny') assert.deepEqual(again, {}, 'that it could not be checked is said at most once');
};

describe('contracts that are traps', { concurrency: 2 }, () => {
  it('that cost the guard something', async () => {
    const named = (side: 'before' | 'after') => SMALL.map((trap, index) => ({ ...trap[side], name: `t${index}` }));
    const gateway = await startGateway(listOf(named('before')));
    try {
      const user = machine(gateway.url);
      await user.begin();
      gateway.set(listOf(named('after'), '2'));
      const wrong: string[] = [];
      for (const [index, trap] of SMALL.entries()) {
        try {
          await fallInto(user, `t${index}`, trap);
        } catch (error) {
          wrong.push(`${trap.what}: ${(error as Error).message}`);
        }
      }
      assert.deepEqual(wrong, []);
    } finally {
      gateway.close();
    }
  });

  for (const trap of LARGE) {
    it(trap.what, async () => {
      const gateway = await startGateway(listOf([trap.before, tool('other')]));
      try {
        const user = machine(gateway.url);
        await user.begin();
        gateway.set(listOf([trap.after, tool('other')], '2'));
        await fallInto(user, 't', trap);
        await user.start('b');
        await settle();
        const recorded = JSON.parse(readFileSync(join(user.state, 'sessions/b.json'), 'utf8')) as {
          sources: Record<string, { tools: unknown[] }>;
        };
        assert.equal(Object.values(recorded.sources)[0]?.tools.length, 2, 'the next session has its baseline');
        const { exit, stdout, ms, mb } = await user.cli(['probe', '--session', 'a']);
        assert.equal(exit, 1, stdout.slice(0, 500));
        assert.ok(isInTime('cli', ms) && mb < MOST_MB, `probe took ${ms} ms and ${Math.round(mb)} MB`);
      } finally {
        gateway.close();
      }
    });
  }

  it('a $ref to a URL is not fetched', async () => {
    const other = await startGateway(send({ type: 'string' }));
    const gateway = await startGateway(listOf([tool('t', { query: text })]));
    try {
      const user = machine(gateway.url);
      await user.begin();
      gateway.set(
        listOf([tool('t', { query: { $ref: `${other.url}/schema.json` } }, { $id: `${other.url}/root.json` })]),
      );
      assert.notDeepEqual(await user.guard('t', { query: 'x' }), {});
      assert.deepEqual(other.requests, []);
    } finally {
      gateway.close();
      other.close();
    }
  });

  it('a call with such names as arguments is judged like any other', async () => {
    const gateway = await startGateway(listOf([tool('t', { a: text }, { additionalProperties: false })]));
    try {
      const user = machine(gateway.url);
      await user.begin();
      const args = JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{}},"toString":1}') as object;
      assert.deepEqual(await user.guard('t', args), {}, 'nothing changed');
      gateway.set(listOf([tool('t', { a: text, b: text }, { additionalProperties: false })]));
      const answer = await user.guard('t', args);
      assert.equal(decision(answer), 'deny');
      for (const name of ['__proto__', 'constructor', 'toString']) assert.match(reason(answer), new RegExp(name));
      assert.equal(decision(await user.guard('t', { a: 'x' })), undefined);
    } finally {
      gateway.close();
    }
  });

  it('20,000 tools are taken, and those that drifted are found', async () => {
    const all = (parameter: string) =>
      Array.from({ length: 20_000 }, (_, index) => tool(`tool_${index}`, { [parameter]: text }));
    const old = all('query');
    const gateway = await startGateway(listOf(old, '1', { etag: '"1"' }));
    try {
      const user = machine(gateway.url);
      await user.begin();
      assert.deepEqual(await user.guard('tool_7', { query: 'x' }), {});
      gateway.set(listOf([...old.slice(0, -1), tool('tool_19999', { q: text })], '2', { etag: '"2"' }));
      assert.equal(decision(await user.guard('tool_19999', { query: 'x' })), 'deny');
      gateway.set(listOf(all('q'), '3'));
      assert.match((await user.greeting('b')).systemMessage ?? '', /20000 tools of .* changed/);
    } finally {
      gateway.close();
    }
  });

  /** One definition with many references to it; and the same with a narrower definition. */
  const referring = (number: number): [Tool, Tool] => {
    const made = (kinds: string[], more: object) =>
      tool(
        't',
        many(number, () => ({ $ref: '#/$defs/item' })),
        { $defs: { item: { type: 'object', properties: { kind: { enum: kinds }, ...more } } } },
      );
    return [
      made(['a', 'b', 'c'], { size: text, colour: text, weight: { type: 'integer' } }),
      made(['a', 'b'], { colour: text, weight: { type: 'integer', maximum: 10 } }),
    ];
  };

  for (const number of [2_000, 8_000]) {
    it(`one definition that takes less now, and ${number.toLocaleString('en')} references to it, compared`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'kwg-referring-'));
      try {
        const files = referring(number).map((one, index) => {
          const file = join(folder, `${index}.json`);
          writeFileSync(file, JSON.stringify({ tools: [one] }));
          return file;
        });
        const user = machine('http://127.0.0.1:9');
        const compared = async (): Promise<string[]> => {
          const { stdout, ms } = await user.cli(['diff', ...files, '--json']);
          assert.ok(isInTime('cli', ms), `diff took ${ms} ms`);
          const { changes } = (JSON.parse(stdout) as { data: { changes: { path: string; level: string }[] } }).data;
          return changes.map(({ path, level }) => `${level} ${path.replace('/inputSchema/$defs/item/properties', '')}`);
        };
        let found = await compared();
        // On a busy machine a tool's time limit can be over before this process got much processor time.
        for (let tries = 1; tries < 20 && found[0] === 'unclassified /inputSchema'; tries++) found = await compared();
        assert.deepEqual(found, ['breaking /kind/enum', 'breaking /weight/maximum', 'silent /size']);
      } finally {
        remove(folder);
      }
    });
  }

  it('a call through the last of 2,000 references to a definition that takes less now', async () => {
    const [old, now] = referring(2_000);
    const gateway = await startGateway(listOf([old]));
    try {
      const user = machine(gateway.url);
      await user.begin();
      gateway.set(listOf([now], '2'));
      // On a busy machine the time for a comparison can be over before it began: then a person is asked.
      const judged = async (value: object, wanted: string | undefined): Promise<string | undefined> => {
        let found: string | undefined;
        for (let tries = 0; tries < 20 && (tries === 0 || found !== wanted); tries++)
          found = decision(await user.guard('t', { p1999: value }));
        return found;
      };
      assert.equal(await judged({ kind: 'a', size: 'x' }, 'deny'), 'deny', 'what is ignored now');
      assert.match((await judged({ kind: 'c' }, 'deny')) ?? 'sent', /^(?:deny|ask)$/, 'what is refused now');
      assert.equal(await judged({ colour: 'x' }, undefined), undefined, 'what did not change');
    } finally {
      gateway.close();
    }
  });

  it('an answer just below the limit of 16 MB', async () => {
    const all = Array.from({ length: 20_000 }, (_, index) =>
      tool(`tool_${index}`, { query: text }, {}, { description: 'd'.repeat(650) }),
    );
    const gateway = await startGateway(listOf(all));
    const judged = async () => {
      gateway.set(listOf(all));
      const user = machine(gateway.url);
      await user.begin();
      gateway.set(listOf([tool('tool_0', { q: text }), ...all.slice(1)], '2'));
      return user.guard('tool_0', { query: 'x' });
    };
    try {
      let answer = await judged();
      // A busy machine may not read so much within the guard's 2 s.
      for (let tries = 0; tries < 20 && answer.systemMessage?.includes('no answer within'); tries++)
        answer = await judged();
      assert.equal(decision(answer), 'deny');
    } finally {
      gateway.close();
    }
  });
});
