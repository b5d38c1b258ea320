// mcp-validate: its reports, and what its documentation says.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import Draft7 from 'ajv';
import type { JsonObject } from '../scripts/contract/types.ts';
import { FORMATS } from '../scripts/reports/formats.ts';
import { run as runInProgram } from '../scripts/validate/kit/run.ts';
import { toChanges } from '../scripts/validate/report.ts';
import { base, command, EXAMPLE_CLI, EXAMPLE_MCP, flag, json, output, run, tool, write } from './mcp-validate-run.ts';
import { runBuilt } from './sandbox.ts';

describe('the level of values that differ', () => {
  it('is milder where a tool offers fewer than its command takes; not where it names fewer than the command prints', () => {
    const field = (...values: string[]) => ({
      name: 'state',
      kinds: ['string'],
      nullable: false,
      values,
      pointer: '/state',
    });
    const level = (output: boolean): string[] =>
      toChanges([
        {
          kind: 'changed',
          command: 'list',
          field: 'state',
          output,
          cli: field('open', 'closed'),
          mcp: field('open'),
          aspects: ['values'],
          pointer: '/state',
        },
      ]).map((change) => change.level);
    assert.deepEqual([level(false), level(true)], [['silent'], ['breaking']]);
  });
});

describe('reports', () => {
  const sarif = createRequire(resolve('package.json')).resolve(
    '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json',
  );
  const { $schema: _dialect, id: _id, $id: _newId, ...rest } = JSON.parse(readFileSync(sarif, 'utf8'));
  const isSarif = new Draft7({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(rest);
  const files = () => [
    '--manifest',
    write(EXAMPLE_CLI, 'cli.json'),
    '--mcp-schema-file',
    write(JSON.stringify({ tools: EXAMPLE_MCP }, null, 2), 'mcp.json'),
  ];
  const FOUND: Record<keyof typeof FORMATS, RegExp> = {
    text: /2 commands, 1 tool: 1 compared\n\ndeploy\n {2}breaking {2}`data\.url`: string in the CLI, null in the tool\ndelete\n {2}silent {4}no tool for the command `delete`/,
    markdown: /^### .*1 breaking, 1 silent[\s\S]*`data\.url`: string in the CLI, null in the tool/,
    sarif: /"ruleId": "mcp-type-differs"/,
    github: /^::error file=mcp\.json,line=(\d+),.*::`data\.url`: string in the CLI/,
    junit: /<testcase name="deploy"[\s\S]*data\.url[\s\S]*<testcase name="delete"/,
    html: /<code>data\.url<\/code>: string in the CLI, null in the tool/,
  };
  for (const format of Object.keys(FORMATS) as (keyof typeof FORMATS)[]) {
    it(format, async () => {
      const { code, stdout, stderr } = await run([...files(), '--format', format]);
      assert.deepEqual([code, stderr], [1, '']);
      assert.match(stdout, FOUND[format]);
      const target = join(base, `report.${format}`);
      const written = await run([...files(), '--format', format, '--output', target]);
      assert.equal(written.code, 1);
      assert.equal(readFileSync(target, 'utf8'), stdout);
      if (format === 'sarif') {
        const { results, tool: about } = JSON.parse(stdout).runs[0];
        const ruleIds = results.map(({ ruleIndex }: { ruleIndex: number }) => about.driver.rules[ruleIndex].id);
        assert.deepEqual(ruleIds, ['mcp-type-differs', 'mcp-command-missing']);
        for (const { id, shortDescription } of about.driver.rules) {
          assert.match(id, /^mcp-/);
          assert.match(shortDescription.text, /\.$/);
        }
        assert.ok(isSarif(JSON.parse(stdout)), JSON.stringify(isSarif.errors?.slice(0, 3)));
      }
    });
  }
  it('say how bad each difference is for a call', async () => {
    type Side = JsonObject | undefined;
    const some: Record<string, [cli: Side, mcp: Side, required: boolean, level: string]> = {
      'other-type': [flag('integer'), { type: 'string' }, false, 'breaking'],
      'value-refused': [flag('enum', { enum_values: ['a'] }), { enum: ['a', 'b'] }, false, 'breaking'],
      'value-left-out': [flag('enum', { enum_values: ['a', 'b'] }), { enum: ['a'] }, false, 'silent'],
      'any-value': [flag('enum', { enum_values: ['a'] }), { type: 'string' }, false, 'breaking'],
      'other-default': [flag('integer', { default: 1 }), { type: 'integer', default: 2 }, false, 'silent'],
      needed: [flag('string', { required: true }), { type: 'string' }, false, 'breaking'],
      wanted: [flag('string'), { type: 'string' }, true, 'silent'],
      missing: [flag('string'), undefined, false, 'silent'],
      'missing-needed': [flag('string', { required: true }), undefined, false, 'breaking'],
      'missing-filled': [flag('string', { required: true, default: 'x' }), undefined, false, 'silent'],
      unknown: [undefined, { type: 'string' }, false, 'breaking'],
    };
    const side = (at: 0 | 1): JsonObject =>
      Object.fromEntries(
        Object.entries(some).flatMap(([name, row]) => (row[at] === undefined ? [] : [[name, row[at]]])),
      );
    const text = { type: 'string' };
    const printed = { ...output({ kept: text, dropped: text }), required: [] };
    const promised = { ...output({ kept: text, promised: text, offered: text }), required: ['kept', 'promised'] };
    const cli = { commands: { go: command(side(0), { output_schema: printed }) } };
    const needed = Object.entries(some).flatMap(([name, [, , required]]) => (required ? [name] : []));
    const wrapper = tool('go', side(1), needed, { outputSchema: promised });
    const { stdout } = await run(['--manifest', write(cli), '--mcp-schema-file', write([wrapper])]);
    const levels = [...stdout.matchAll(/^ {2}(\w+) +`([a-z.-]+)`[: ]/gm)].map(([, level, name]) => [name, level]);
    assert.deepEqual(Object.fromEntries(levels), {
      ...Object.fromEntries(Object.entries(some).map(([name, [, , , level]]) => [name, level])),
      ...{ 'data.kept': 'breaking', 'data.dropped': 'silent', 'data.promised': 'breaking', 'data.offered': 'silent' },
    });
  });
  it('annotations stand at the line of the wrapper', async () => {
    const { stdout } = await run([...files(), '--format', 'github']);
    const line = Number(/line=(\d+)/.exec(stdout)?.[1]);
    const lines = readFileSync(join(base, 'mcp.json'), 'utf8').split('\n');
    assert.match(lines[line - 1] ?? '', /"url"/);
  });
  const skip = process.platform === 'win32' && 'made with mkfifo';
  it('a pipe is read once', { skip }, async () => {
    const pipe = join(base, 'pipe.json');
    execFileSync('mkfifo', [pipe]);
    const [{ code, stdout }] = await Promise.all([
      // Opening a pipe blocks until the other side opens it, so one process cannot do both.
      runBuilt(
        'cli.cjs',
        null,
        {},
        ['mcp-validate', '--manifest', write(EXAMPLE_CLI), '--mcp-schema-file', pipe],
        true,
      ),
      writeFile(pipe, JSON.stringify({ tools: EXAMPLE_MCP })),
    ]);
    assert.equal(code, 1);
    assert.match(stdout, FOUND.text);
  });
  it('nothing found is one line', async () => {
    const { code, stdout } = await run([
      '--manifest',
      write({ commands: { a: command() } }),
      '--mcp-schema-file',
      write([tool('a')]),
    ]);
    assert.deepEqual([code, stdout], [0, '1 command, 1 tool: 1 compared: no drift\n']);
  });
  it('with --json and --output both', async () => {
    const target = join(base, 'both.md');
    const { data } = await json([...files(), '--format', 'markdown', '--output', target]);
    assert.equal(data.drift.changed.length, 1);
    assert.match(readFileSync(target, 'utf8'), /^### /);
  });
});

describe('the report of a command in a program', () => {
  /** What it writes to this process's output. */
  const printed = async (test: TestContext, isTTY: boolean, noColour: string): Promise<string> => {
    const { stdout, env, exitCode } = process;
    let text = '';
    const { write: pass } = stdout;
    // What is no text is the test runner's.
    const writing = test.mock.method(stdout, 'write', (...given: unknown[]) => {
      if (typeof given[0] !== 'string') return Reflect.apply(pass, stdout, given);
      text += given[0];
      return true;
    });
    const [before, had] = [env.NO_COLOR, stdout.isTTY];
    try {
      Object.assign(stdout, { isTTY });
      env.NO_COLOR = noColour;
      await runInProgram({ 'mcp-schema-file': write({ tools: EXAMPLE_MCP }) }, () => EXAMPLE_CLI, {});
    } finally {
      writing.mock.restore();
      Object.assign(stdout, { isTTY: had });
      if (before === undefined) delete env.NO_COLOR;
      else env.NO_COLOR = before;
      process.exitCode = exitCode;
    }
    return text;
  };

  it('is in colour at a terminal, unless NO_COLOR is set', async (test) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of it
    const COLOUR = /\u001b\[3\dm/;
    assert.match(await printed(test, true, ''), COLOUR);
    assert.match(await printed(test, true, '1'), /breaking/);
    for (const [isTTY, noColour] of [
      [true, '1'],
      [false, ''],
      [false, '1'],
    ] as const)
      assert.doesNotMatch(await printed(test, isTTY, noColour), COLOUR, `${isTTY} ${noColour}`);
  });
});

describe('the documentation', () => {
  it('names every option of the command, and the workflow', async () => {
    const page = readFileSync('docs/mcp-validate.md', 'utf8');
    const { stdout } = await run(['--help']);
    const options = new Set(stdout.match(/--[a-z][a-z-]+/g));
    assert.ok(options.has('--manifest') && options.size > 5, [...options].join());
    for (const option of options) assert.ok(page.includes(option), option);
    assert.ok(page.includes('workflows/mcp-validate.yml'));
  });
  it('its examples are what is printed', async () => {
    const page = readFileSync('docs/mcp-validate.md', 'utf8');
    const blocks = [...page.matchAll(/```json (\S+)\n([\s\S]*?)```/g)].map(([, name, text]) => [name, text] as const);
    assert.deepEqual(
      blocks.map(([name]) => name),
      ['manifest.json', 'mcp.json', 'answer.json'],
    );
    const [cli, mcp, answer] = blocks.map(([, text]) => JSON.parse(text as string));
    const { data, ok, error } = await json(['--manifest', write(cli), '--mcp-schema-file', write(mcp)]);
    assert.deepEqual({ ok, data, error }, { ok: answer.ok, data: answer.data, error: answer.error });
  });
});
