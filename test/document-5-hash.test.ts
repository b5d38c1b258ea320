// "The fix: a lockfile for tool contracts" and "Why I trust this output": pins from a Python script, reproduced here.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { forPython } from '../scripts/contract/python-json.ts';
import type { Json } from '../scripts/contract/types.ts';
import { BEFORE } from '../scripts/demo/release.ts';
import { anyCharacter } from './random-runs.ts';
import { drive } from './sandbox.ts';

/** The hashes that the built program gives for a text on standard input. */
const hashes = async (text: string, ...args: string[]) => {
  const run = await drive('cli.cjs', text, {}, ['hash', '-', ...args, '--json']);
  assert.equal(run.code, 0, run.stdout);
  return run.answer.data.hashes as { tool: string; hash: string }[];
};
const python = async (text: string): Promise<string | undefined> =>
  (await hashes(text, '--canonical', 'python-json'))[0]?.hash;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A text after `json.loads` and `json.dumps(…, sort_keys=True, separators=(",", ":"))` of Python 3.11. */
const printed = (text: string): string => {
  const { text: marked, print } = forPython(text);
  return print(JSON.parse(marked) as Json);
};

const noPython = spawnSync('python3', ['--version']).status !== 0 && 'there is no python3';

describe('The fix: a lockfile for tool contracts: the hash', () => {
  it('the five pins that are printed come out in either form', async () => {
    const article = Object.fromEntries(
      BEFORE.map(({ name, description, inputSchema }) => [name, { description, schema: inputSchema }]),
    );
    const printedPins = {
      search_reviews: '523c03021e8245b2',
      list_items: 'd9df519d261ead81',
      get_page: 'dd8de02649201598',
      get_profile: '9d2bbdf36c1c632b',
      create_export: '2e921e25010eee65',
    };
    for (const args of [[], ['--canonical', 'rfc8785'], ['--canonical', 'python-json']]) {
      const found = await hashes(JSON.stringify(article), ...args);
      assert.deepEqual(Object.fromEntries(found.map(({ tool, hash }) => [tool, hash.slice(0, 16)])), printedPins);
    }
  });

  it('`café €` and `1.0`: ours is that of RFC 8785, and python-json gives that of Python', async () => {
    const words = '{"description":"café €","schema":{"type":"object"}}';
    const numbers = '{"description":"x","schema":{"type":"object","minimum":1.0}}';
    // Made with Python 3.11.
    assert.equal(await python(words), 'a9c0d8473edeb4931e286f42974f8221daaacffd3f3a43d5287861bf0c747073');
    assert.equal(await python(numbers), '64fa4b044c56882a3ade223250b32412b9b1efcb41e9717f3ad37cda4d685f5d');
    assert.equal((await hashes(words))[0]?.hash, sha256(words));
    assert.equal(
      (await hashes(numbers))[0]?.hash,
      sha256('{"description":"x","schema":{"minimum":1,"type":"object"}}'),
    );
  });

  it('every kind of number and text, as Python writes it', async () => {
    for (const [given, wanted] of [
      ['[1, -0, -0.0, 0.0, 0e5, 1.0, 1e2, -1.50]', '[1,0,-0.0,0.0,0.0,1.0,100.0,-1.5]'],
      ['[12345678901234567890123, 0.1, 123456789.125]', '[12345678901234567890123,0.1,123456789.125]'],
      ['[1e15, 1e16, 1.5E+300, 1e400, -1e400]', '[1000000000000000.0,1e+16,1.5e+300,Infinity,-Infinity]'],
      ['[1e-4, 1e-5, 12e-6, 5e-324]', '[0.0001,1e-05,1.2e-05,5e-324]'],
      [
        '"café € \u007f \u{1f600} \\/ \\" \\\\ \\n \\u0001 1.0"',
        String.raw`"caf\u00e9 \u20ac \u007f \ud83d\ude00 / \" \\ \n \u0001 1.0"`,
      ],
      // By code points: in UTF-16 the second one comes first.
      [
        '{"\u{10000}": 1, "\uffff": 2, "é": 3, "z": 4, "10": 5, "9": 6}',
        String.raw`{"10":5,"9":6,"z":4,"\u00e9":3,"\uffff":2,"\ud800\udc00":1}`,
      ],
      ['{"__proto__": 1.0, "a": {"b": null, "a": [true, false, {}]}, "a": 2}', '{"__proto__":1.0,"a":2}'],
    ] as const)
      assert.equal(printed(given), wanted);
  });

  it('and so for anything, asked of Python itself', { skip: noPython }, () => {
    const number = fc.oneof(
      fc.integer().map(String),
      fc.bigInt().map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => (Object.is(one, -0) ? '-0.0' : String(one))),
      fc.tuple(fc.integer(), fc.nat(999), fc.integer({ min: -330, max: 330 })).map(([a, b, c]) => `${a}.${b}e${c}`),
    );
    const text = fc.string({ unit: anyCharacter, maxLength: 6 });
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        number,
        text.map((one) => JSON.stringify(one)),
        fc.array(tie('value'), { maxLength: 4 }).map((all) => `[${all.join(', ')}]`),
        fc
          .array(fc.tuple(text, tie('value')), { maxLength: 4 })
          .map((all) => `{${all.map(([key, one]) => `${JSON.stringify(key)}: ${one}`).join(', ')}}`),
      ),
    }));
    const script =
      'import json, sys\nfor line in sys.stdin.buffer.read().decode().split("\\n"): print(json.dumps(json.loads(line), sort_keys=True, separators=(",", ":")))';
    // One process for all: starting it takes longer than everything else.
    const lines = fc.sample(value, { numRuns: 3_000, seed: 20261121 });
    const { stdout, stderr } = spawnSync('python3', ['-c', script], { input: lines.join('\n'), encoding: 'utf8' });
    const answers = stdout.trimEnd().split('\n');
    assert.equal(answers.length, lines.length, stderr);
    for (const [at, line] of lines.entries()) assert.equal(printed(line), answers[at], line);
  });

  it('another form than the two is refused, and so is what is no tool list', async () => {
    for (const [args, code] of [
      [['--canonical', 'python'], 'usage'],
      [['--canonical', '__proto__'], 'usage'],
      [['--canonical', 'python-json'], 'not-a-tool-list'],
    ] as const) {
      const run = await drive('cli.cjs', '{"tools": 1.0}', {}, ['hash', '-', ...args, '--json']);
      assert.deepEqual([run.code, run.answer.error.code], [2, code]);
    }
  });

  it('the page of the lockfile says where the two differ', () => {
    const page = readFileSync('docs/lockfile.md', 'utf8');
    for (const word of ['RFC 8785', 'café €', '1.0', '--canonical python-json']) assert.ok(page.includes(word), word);
  });
});
