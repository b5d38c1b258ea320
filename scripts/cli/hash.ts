import { type Command, usageError } from '../command/command.ts';
import { pageWarnings, readText, toolListIn } from '../command/read-file.ts';
import { oneOf } from '../command/report.ts';
import { contractHash, hashed, sha256 } from '../contract/canonical.ts';
import { meaningHash } from '../contract/meaning.ts';
import { forPython } from '../contract/python-json.ts';
import { readToolList } from '../contract/read.ts';
import type { Contract, Json } from '../contract/types.ts';
import { plainName } from '../text/quote.ts';

/** The tools of a text, as Python's `json` would read and write them. */
const pythonHashes = (text: string): string[] => {
  const python = forPython(text);
  const { tools } = readToolList(JSON.parse(python.text) as Json);
  return tools.map((tool) => sha256(python.print(hashed(tool))));
};

const FORMS = {
  rfc8785: (_: string, tools: readonly Contract[]) => tools.map(contractHash),
  'python-json': pythonHashes,
};
const NAMES = Object.keys(FORMS) as (keyof typeof FORMS)[];

export const hash: Command = {
  name: 'hash',
  usage: 'FILE [--canonical rfc8785|python-json]',
  words: 1,
  options: { canonical: { type: 'string' } },
  help: `
Prints the SHA-256 of each tool's contract: over the RFC 8785 canonical JSON of {description, schema}, and of title,
outputSchema and annotations where the tool has them. FILE is a tools/list result, a JSON-RPC answer around one, an
array of tools, a single tool, or a gateway answer; - reads standard input.

  --canonical python-json  the same fields, written as Python's json.dumps(tool, sort_keys=True, separators=(",", ":"))
                           writes what json.loads read: characters beyond ASCII as \\uXXXX, 1.0 not as 1. For pins
                           that a Python script made; the lockfile holds those of RFC 8785, the default

With --json each tool also has "meaning": the same for two contracts that differ in noise alone.`,
  run: async ({ positionals, values }, io) => {
    const [file] = positionals;
    if (file === undefined) throw usageError('hash', 'hash needs a file', 'konnichiwagwan hash FILE');
    const canonical = oneOf('hash', 'canonical', values.canonical ?? 'rfc8785', NAMES);
    const text = await readText(file, io);
    const list = toolListIn(text, file);
    const pins = FORMS[canonical](text, list.tools);
    const hashes = list.tools.map((tool, at) => ({
      tool: tool.name,
      hash: pins[at] ?? '',
      meaning: meaningHash(tool),
    }));
    return {
      exit: 0,
      data: { canonical, hashes },
      warnings: pageWarnings(file, list),
      text: hashes.map((one) => `${one.hash}  ${plainName(one.tool)}`).join('\n'),
    };
  },
};
