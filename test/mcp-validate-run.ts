// Runs mcp-validate for its tests.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before } from 'node:test';
import Ajv from 'ajv/dist/2020.js';
import type { JsonObject } from '../scripts/contract/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import type { DriftEntry } from '../scripts/validate/kit/validate.d.ts';
import { drive, type Run } from './sandbox.ts';
import { WIRE_SCHEMA } from './wire-schema.ts';

export const CLI = resolve('dist/cli.cjs');
export const isWire = new Ajv({ strict: true, strictTypes: false }).compile(WIRE_SCHEMA);

export let base: string;
let count = 0;
before(() => {
  base = mkdtempSync(join(tmpdir(), 'kwg-validate-'));
});
after(() => remove(base));

export const write = (content: unknown, name = `file-${++count}.json`): string => {
  const path = join(base, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

export const run = (
  args: string[],
  { input, env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Run> => {
  const own = { HOME: base, KONNICHIWAGWAN_HOME: join(base, 'state'), ...env };
  return drive('cli.cjs', input ?? null, own, ['mcp-validate', ...args], true, base);
};

export interface Answer {
  code: number | null;
  ok: boolean;
  data: { drift: Record<'added' | 'removed' | 'changed', DriftEntry[]> & { missing_from_mcp: string[] } };
  error: null | { code: string; message: string; hint: string };
  warnings: string[];
  // biome-ignore lint/suspicious/noExplicitAny: what stands beside the wire form
  meta: any;
}

/** Runs it with --json, and checks every answer against the schema of the wire form. */
export const json = async (args: string[], options?: Parameters<typeof run>[1]): Promise<Answer> => {
  const { code, stdout, stderr } = await run([...args, '--json'], options);
  assert.equal(stderr, '');
  const answer = JSON.parse(stdout);
  assert.ok(isWire(answer), JSON.stringify(isWire.errors?.slice(0, 3)));
  assert.deepEqual(Object.keys(answer), ['ok', 'data', 'error', 'warnings', 'meta']);
  assert.equal(code, answer.error !== null ? 2 : answer.ok ? 0 : 1);
  return { code, ...answer };
};

export const against = (manifest: unknown, tools: unknown, ...args: string[]): Promise<Answer> =>
  json(['--manifest', write(manifest), '--mcp-schema-file', write({ tools }), ...args]);

export const command = (flags: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  description: 'Does it.',
  flags,
  exit_codes: { 0: { name: 'SUCCESS', description: 'Done', retryable: false, side_effects: 'complete' } },
  ...more,
});
export const flag = (type: string, more: JsonObject = {}): JsonObject => ({
  type,
  required: false,
  description: 'A flag.',
  ...more,
});
export const tool = (
  name: string,
  properties: object = {},
  required: string[] = [],
  more: JsonObject = {},
): JsonObject => ({
  name,
  inputSchema: { type: 'object', properties: properties as JsonObject, ...(required.length > 0 ? { required } : {}) },
  ...more,
});

export const output = (properties: JsonObject): JsonObject => ({ type: 'object', properties });

/** The CLI and the wrapper of the requirement's own example. */
export const EXAMPLE_CLI = {
  commands: {
    deploy: command(
      { target: flag('string', { required: true }) },
      { output_schema: output({ url: { type: 'string' } }) },
    ),
    delete: command(),
  },
};
export const EXAMPLE_MCP = [
  tool('deploy', { target: { type: 'string' } }, ['target'], { outputSchema: output({ url: { type: 'null' } }) }),
];
export const NO_DRIFT = { added: [], removed: [], changed: [], missing_from_mcp: [] };
