import { defined } from './defined.ts';
import { type Contract, isObject, type Json } from './types.ts';

/** What Claude Code removes: format characters, private and unassigned ones, and halves of surrogate pairs. */
const REMOVED = /[\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu;
/** Characters that no cleaning changes. Most texts have no others. */
const PLAIN = /^[\0-\x7f]*$/;
/** Removing a character can bring others together. No text is known to need more rounds. */
const MOST_ROUNDS = 10;

/** A text as Claude Code shows it: in Unicode's form NFKC, without characters that nothing can be seen of. */
export const cleaned = (text: string): string => {
  let [before, now] = ['', text];
  if (PLAIN.test(text)) return text;
  for (let round = 0; before !== now && round < MOST_ROUNDS; round++) {
    before = now;
    now = now.normalize('NFKC').replace(REMOVED, '');
  }
  return now;
};

const cleanedIn = (value: Json): Json => {
  if (typeof value === 'string') return cleaned(value);
  if (Array.isArray(value)) return value.map(cleanedIn);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [cleaned(key), cleanedIn(one as Json)]));
};

/** A contract as Claude Code (2.1.197, 2.1.330) shows it to a model, before it cuts the description. */
export const asShown = ({ description, ...rest }: Contract): Contract => ({
  ...rest,
  ...defined({ description: description && cleaned(description) }),
  inputSchema: cleanedIn(rest.inputSchema),
});
