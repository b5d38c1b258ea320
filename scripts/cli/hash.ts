import { type Command, usageError } from '../command/command.ts';
import { readToolFile } from '../command/read-file.ts';
import { contractHash } from '../contract/canonical.ts';
import { meaningHash } from '../contract/meaning.ts';
import { plainName } from '../text/quote.ts';

export const hash: Command = {
  name: 'hash',
  summary: 'the pins of the contracts in a file',
  usage: 'FILE',
  words: 1,
  help: `
Prints the SHA-256 of each tool's contract: over the RFC 8785 canonical JSON of {description, schema}, and of title,
outputSchema and annotations where the tool has them. FILE is a tools/list result, a JSON-RPC answer around one, an
array of tools, a single tool, or a gateway answer; - reads standard input.

With --json each tool also has "meaning": the same for two contracts that differ in noise alone.`,
  run: async ({ positionals }, io) => {
    const [file] = positionals;
    if (file === undefined) throw usageError('hash', 'hash needs a file', 'konnichiwagwan hash FILE');
    const { tools } = await readToolFile(file, io);
    const hashes = tools.map((tool) => ({ tool: tool.name, hash: contractHash(tool), meaning: meaningHash(tool) }));
    return {
      exit: 0,
      data: { hashes },
      text: hashes.map((one) => `${one.hash}  ${plainName(one.tool)}`).join('\n'),
    };
  },
};
