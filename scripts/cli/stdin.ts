import { CommandError } from '../command/command.ts';
import { INPUT_LIMIT } from '../guard/input.ts';

/** Reads all of standard input, up to the limit for hook inputs. */
export const readStdinBounded = async (): Promise<string> => {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of process.stdin) {
    total += chunk.length;
    if (total > INPUT_LIMIT) {
      throw new CommandError('input-too-large', `the input is larger than ${INPUT_LIMIT} bytes`, 'pass less');
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
};
