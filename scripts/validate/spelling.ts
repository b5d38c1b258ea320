/** Commands repeat the same few flags: their spellings are worked out once. */
const known = new Map<string, string[]>();
const MOST_KNOWN = 10_000;

/** What is longer is no name that anybody spells in two ways. */
const LONGEST = 512;

const split = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** `deploy.rollback`, `deploy-rollback`, `deployRollback` and `deploy_rollback` are all `deploy`, `rollback`. */
export const wordsOf = (name: string): string[] => {
  if (name.length > LONGEST) return [name];
  const found = known.get(name) ?? split(name);
  if (known.size < MOST_KNOWN) known.set(name, found);
  return found;
};

/** The same for names that differ in their separators alone. Names without any letter stay apart. */
export const keyOf = (name: string): string => wordsOf(name).join('_') || name;

/** The same for spellings of a flag: `dry-run`, `dryRun`, `DRY_RUN`, `dryrun`. */
export const lettersOf = (name: string): string => wordsOf(name).join('') || name;
