import { CommandError } from '../command/command.ts';
import { INPUT_LIMIT } from '../guard/input.ts';

/** Reads all of an input, such as standard input, up to the limit for hook inputs. */
export const readBounded = async (input: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of input) {
    total += chunk.length;
    if (total > INPUT_LIMIT) {
      throw new CommandError('input-too-large', `the input is larger than ${INPUT_LIMIT} bytes`, 'pass less');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};
