import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { build } from 'esbuild';
import { readToolList } from '../scripts/contract/read.ts';
import type { Contract, Json } from '../scripts/contract/types.ts';
import { diffContract } from '../scripts/diff/diff.ts';
import { diffLists } from '../scripts/diff/diff-lists.ts';
import { LIST_RULES, type RuleRow, SCHEMA_RULES, TOOL_RULES } from '../scripts/diff/table.ts';
import {
  type Effect,
  type Example,
  type FoundChange,
  LEVELS,
  type ListPair,
  type SchemaPair,
  type ToolPair,
} from '../scripts/diff/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { runProgram } from './sandbox.ts';

type Row = RuleRow<ListPair> | RuleRow<ToolPair> | RuleRow<SchemaPair>;
const ROWS: Row[] = [...LIST_RULES, ...TOOL_RULES, ...SCHEMA_RULES];

const asTool = (schema: Json): Contract => ({ name: 'tool', inputSchema: schema });

const run = (at: string, { before, after }: Example): readonly FoundChange[] => {
  if (at === 'list') return diffLists(readToolList(before).tools, readToolList(after).tools);
  // Copies: what changed between the same two contracts is remembered, whatever becomes of the table.
  if (at === 'tool') return diffContract({ ...(before as unknown as Contract) }, after as unknown as Contract);
  return diffContract(asTool(before), asTool(after));
};

/** A change in the form of the examples. */
const lineOf = ({ level, rule, path, effect, quiet }: FoundChange): string => {
  const of = effect && `${effect.verdict}${effect.when === 'always' ? '' : ` when ${effect.when}`}`;
  return [`${level} ${rule} ${path}`, of, quiet && 'quiet'].filter(Boolean).join(', ');
};

const VERDICTS = ['ask', 'deny'] as const;
const WHENS = ['always', 'used', 'omitted'] as const;

/** Mistakes for a row of the table: the description of each, and a function that makes it. */
const mistakesIn = (row: Row, kind: string): [what: string, make: () => void][] => {
  const { levels, effects = {}, quiet = [] } = row;
  const effect = effects[kind];
  const others = LEVELS.filter((level) => level !== levels[kind]);
  const set = (to: Effect | undefined) => () => {
    const { [kind]: _gone, ...rest } = effects;
    row.effects = { ...rest, ...(to === undefined ? {} : { [kind]: to }) };
  };
  return [
    ...others.map((level): [string, () => void] => [
      `its level is ${level}`,
      () => {
        row.levels = { ...levels, [kind]: level };
      },
    ]),
    ...VERDICTS.flatMap((verdict) => WHENS.map((when) => ({ verdict, when })))
      .filter((one) => one.verdict !== effect?.verdict || one.when !== effect.when)
      .map((one): [string, () => void] => [`its effect is ${one.verdict} when ${one.when}`, set(one)]),
    ...(effect === undefined ? [] : [['it has no effect', set(undefined)] as [string, () => void]]),
    [
      quiet.includes(kind) ? 'it is told' : 'it is quiet',
      () => {
        row.quiet = quiet.includes(kind) ? quiet.filter((one) => one !== kind) : [...quiet, kind];
      },
    ],
  ];
};

/** Whether a mistake makes no difference, because later steps correct it. */
const isCorrected = ({ levels }: Row, kind: string, what: string): boolean =>
  // The proof has the last word on what a rule calls breaking.
  (levels[kind] === 'compatible' && /level is (?:breaking|unclassified)/.test(what)) ||
  // If a server no longer reads something that a call says, the level is silent, whichever rule finds it (diff/lost.ts).
  (kind === 'ignored' && what === 'its level is compatible');

describe('the table of rules', () => {
  const unnoticed = (row: Row, make: () => void): boolean => {
    const { at, examples } = row.rule;
    const before = { ...row };
    try {
      make();
      return examples.every((example) => isDeepStrictEqual(run(at, example).map(lineOf), example.gives));
    } finally {
      for (const name of ['levels', 'effects', 'quiet'] as const)
        if (before[name] === undefined) delete row[name];
        else Object.assign(row, { [name]: before[name] });
    }
  };
  for (const row of ROWS)
    for (const kind of Object.keys(row.levels))
      it(`${row.rule.id}, ${kind}: the examples notice any mistake`, () => {
        const missed = mistakesIn(row, kind)
          .filter(([what]) => !isCorrected(row, kind, what))
          .filter(([, make]) => unnoticed(row, make));
        assert.deepEqual(
          missed.map(([what]) => what),
          [],
        );
      });
});

describe('rules', () => {
  for (const row of ROWS) {
    const { id, at, examples, purpose } = row.rule;
    describe(id, () => {
      for (const example of examples) {
        it(example.what, () => {
          assert.deepEqual(run(at, example).map(lineOf), example.gives);
        });
      }
      it('says what it is for, and its examples show it', () => {
        assert.match(purpose, /^[A-Z].*\.$/);
        assert.ok(examples.some((example) => example.gives.some((line) => line.split(' ')[1] === id)));
      });
      it('every level of the table is the level of some example', () => {
        const levels = examples.flatMap((example) =>
          run(at, example)
            .filter((change) => change.rule === id)
            .map((change) => change.level),
        );
        assert.deepEqual([...new Set(levels)].sort(), [...new Set(Object.values(row.levels))].sort());
      });
    });
  }

  it('there is one file for each rule, named like it', () => {
    const files = readdirSync('scripts/diff/rules').map((file) => file.replace('.ts', ''));
    const ids = [...LIST_RULES, ...TOOL_RULES, ...SCHEMA_RULES].map((row) => row.rule.id);
    assert.deepEqual(files.sort(), ids.sort());
  });

  it('the scaffolder makes one that compiles, and whose example holds', async (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-rule-'));
    test.after(() => remove(folder));
    mkdirSync(join(folder, 'scripts/diff/rules'), { recursive: true });
    for (const part of ['scripts/contract', 'scripts/text', 'scripts/proof', 'scripts/diff'])
      cpSync(part, join(folder, part), { recursive: true });
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const scaffolder = resolve(scripts['new-rule']?.replace(/^node /, '') ?? '');
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--types', 'node', '--target', 'es2022'];
    const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--allowImportingTsExtensions'];
    for (const id of ['input-something-changed', 'tool-something-changed']) {
      const made = await runProgram(process.execPath, [scaffolder, id], { cwd: folder });
      assert.equal(made.code, 0, made.stderr);
      const file = `scripts/diff/rules/${id}.ts`;
      const tsc = [resolve('node_modules/typescript/bin/tsc'), ...options, ...modules, file];
      const checked = await runProgram(process.execPath, tsc, { cwd: folder, timeout: 300_000 });
      assert.equal(checked.code, 0, checked.stdout);
    }
    const program = join(folder, 'examples.cjs');
    await build({
      stdin: {
        contents: `
          import { diffContract } from './scripts/diff/diff.ts';
          import { SCHEMA_RULES, TOOL_RULES } from './scripts/diff/table.ts';
          const asTool = (schema) => ({ name: 'tool', inputSchema: schema });
          for (const { rule } of [...TOOL_RULES, ...SCHEMA_RULES]) {
            if (!rule.id.endsWith('-something-changed')) continue;
            for (const { before, after, gives } of rule.examples) {
              const pair = rule.at === 'tool' ? [before, after] : [asTool(before), asTool(after)];
              const found = diffContract(...pair).map(({ level, rule, path }) => [level, rule, path].join(' '));
              console.log(JSON.stringify([found, gives]));
            }
          }`,
        resolveDir: folder,
      },
      bundle: true,
      platform: 'node',
      outfile: program,
    });
    const { stdout } = await runProgram(process.execPath, [program], { cwd: folder });
    const held = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(held.length, 2, stdout);
    for (const [found, gives] of held) assert.deepEqual(found, gives);
  });

  it('what no rule explains is unclassified, at its place', () => {
    const found = diffContract(
      asTool({ type: 'object', properties: { a: { type: 'array' }, b: true } }),
      asTool({ type: 'object', properties: { a: { type: 'array', contains: { title: 'A name' } }, b: false } }),
    );
    assert.deepEqual(
      found.map(({ rule, level, path }) => [rule, level, path]),
      [
        ['unclassified', 'unclassified', '/inputSchema/properties/b'],
        ['unclassified', 'unclassified', '/inputSchema/properties/a/contains'],
      ],
    );
  });

  it('noise is no change', () => {
    const before = {
      name: 'a',
      inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', required: ['x', 'y'] },
      extra: { execution: {} },
    };
    const after = { name: 'a', inputSchema: { required: ['y', 'x'], additionalProperties: true, type: 'object' } };
    assert.deepEqual(diffContract(before, after), []);
  });
});
