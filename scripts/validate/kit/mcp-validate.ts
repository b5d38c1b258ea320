import { CommandError } from '../../command/command.ts';
import { wholeList } from '../../command/read-file.ts';
import { NotAToolList, readToolList } from '../../contract/read.ts';
import type { Contract } from '../../contract/types.ts';
import { visible } from '../../text/visible.ts';
import { type Checked, check } from '../check.ts';
import { parseGiven } from '../parse-given.ts';
import { readManifest } from '../read-manifest.ts';
import { readMap } from '../read-map.ts';
import type * as Kit from './validate.d.ts';

/** The value as JSON: bounded, and without values that JSON cannot hold. */
const asJson = (value: unknown, what: string) => {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // A circle, or a BigInt.
  }
  if (text === undefined) throw new CommandError('not-json', `${what} cannot be written as JSON`, 'pass plain data');
  return parseGiven(text, what);
};

const readTools = (mcp: unknown): Contract[] => {
  try {
    return wholeList(readToolList(asJson(mcp, 'mcp')), 'mcp');
  } catch (error) {
    if (!(error instanceof NotAToolList)) throw error;
    throw new CommandError(
      'not-a-tool-list',
      `mcp is not a tool list: ${visible(error.message, { max: 160 })}`,
      'pass a tools/list result, an array of tools, or a gateway answer',
    );
  }
};

/** @throws CommandError */
export const checkInput = (input: Kit.McpValidateInput, tools: readonly Contract[] = readTools(input.mcp)): Checked => {
  const { commands, flags, map = {}, mcp: _, ...settings } = input;
  const manifest = readManifest(asJson({ commands, flags }, 'the manifest'));
  return check(manifest, tools, { ...settings, map: readMap(asJson(map, 'map')) });
};

export const answerOf = ({ compared, data, warnings, meta }: Checked, started: number): Kit.McpValidateAnswer => ({
  ok: compared.found.length === 0,
  data,
  error: null,
  warnings,
  meta: { duration_ms: Date.now() - started, ...meta },
});

export const failure = (
  { code, message, hint }: { code: string; message: string; hint: string },
  started: number,
): Kit.McpValidateAnswer => ({
  ok: false,
  data: null,
  error: { code, message, hint },
  warnings: [],
  meta: { duration_ms: Date.now() - started },
});

export const mcpValidate: typeof Kit.mcpValidate = (input) => {
  const started = Date.now();
  try {
    return answerOf(checkInput(input), started);
  } catch (error) {
    if (error instanceof CommandError) return failure(error, started);
    throw error;
  }
};

export const exitCode: typeof Kit.exitCode = ({ ok, error }) => (error !== null ? 2 : ok ? 0 : 1);
