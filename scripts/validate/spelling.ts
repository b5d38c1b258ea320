/** Words by name; cached, because commands repeat the same few flags. */
const known = new Map<string, string[]>();
const MOST_KNOWN = 10_000;

/** A longer name counts as one word: such names do not come in two spellings. */
const LONGEST = 512;

const split = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** The words of a name: `deploy.rollback`, `deploy-rollback`, `deployRollback` and `deploy_rollback` have the same two. */
export const wordsOf = (name: string): string[] => {
  if (name.length > LONGEST) return [name];
  const found = known.get(name) ?? split(name);
  if (known.size < MOST_KNOWN) known.set(name, found);
  return found;
};

/** A key that is equal for names that differ only in separators. A name without words is its own key. */
export const keyOf = (name: string): string => wordsOf(name).join('_') || name;

/** A key that is equal for all spellings of a flag: `dry-run`, `dryRun`, `DRY_RUN`, `dryrun`. */
export const lettersOf = (name: string): string => wordsOf(name).join('') || name;
