import { CommandError, type InputStream } from '../command/command.ts';
import { INPUT_LIMIT } from '../guard/input.ts';

/** Reads all of an input, such as standard input, up to the limit for hook inputs. */
export const readBounded = async (input: InputStream): Promise<string> => {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const given of input) {
    const chunk = typeof given === 'string' ? Buffer.from(given) : given;
    total += chunk.length;
    if (total > INPUT_LIMIT) {
      throw new CommandError('input-too-large', `the input is larger than ${INPUT_LIMIT} bytes`, 'pass less');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};
