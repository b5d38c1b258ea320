/**
 * Words that say the opposite of each other, and of which one holds where the other does not: what is not "public" is "private".
 * To add a pair, put it here or below; the forms of verbs and plurals follow.
 */
const COMPLEMENTS = `active:idle allow:block allow:deny allow:forbid append:overwrite append:replace asc:desc
  ascending:descending automatic:manual disable:enable display:hide draft:final draft:publish exclude:include
  execute:simulate explicit:implicit external:internal fresh:cached hard:soft hidden:visible hide:show ignore:include
  include:omit include:skip keep:delete keep:discard keep:drop keep:erase keep:overwrite keep:remove keep:replace
  latest:oldest lenient:strict local:remote lossy:lossless newest:oldest notify:silent offline:online omit:show
  optional:required overwrite:preserve permanent:temporary personal:shared preview:publish private:public
  quiet:verbose silent:verbose skip:show sync:async synchronous:asynchronous`;

/** Words that say the opposite of each other, and of which none may hold: where nothing is bought, nothing is sold. */
const PAIRS = `accept:decline accept:reject add:remove add:subtract after:until allowlist:blocklist allowlist:denylist
  append:prepend approve:reject attach:detach away:home back:front before:since beginning:end black:white
  blacklist:whitelist borrower:lender bottom:top buy:sell buyer:seller ceiling:floor cheapest:dearest child:parent
  compress:extract connect:disconnect create:delete credit:debit decode:encode decrease:increase decrypt:encrypt
  deposit:withdraw download:upload earlier:later employee:employer end:start even:odd existing:new expand:collapse
  export:import fail:succeed failure:success future:past global:local grow:shrink guest:host higher:lower
  horizontal:vertical inner:outer issue:revoke join:leave least:most lend:borrow lock:release long:short
  longest:shortest loss:profit lower:upper max:min maximum:minimum may:must negative:positive newer:older open:close
  pause:resume payee:payer pull:push read:write receive:send request:response row:column slow:fast slower:faster
  start:stop student:teacher upcoming:past weekday:weekend width:height win:lose`;

/** A verb, or the name of things, without its ending; units and other short words are as they are. */
export const stem = (word: string): string =>
  word.length < 4 ? word : word.replace(/(?<=..)ie[ds]$/, 'y').replace(/(?:ing|ed|es|s|e)$/, '');

const bothWays = (pairs: string): Set<string> =>
  new Set(
    pairs.split(/\s+/).flatMap((pair) => {
      const [one = '', other = ''] = pair.split(':').map(stem);
      return [`${one} ${other}`, `${other} ${one}`];
    }),
  );

const COMPLEMENTARY: ReadonlySet<string> = bothWays(COMPLEMENTS);
const OPPOSITES: ReadonlySet<string> = bothWays(`${COMPLEMENTS} ${PAIRS}`);

/** What makes a word its opposite: "lock" and "unlock". */
const NEGATED = /^(?:un|dis|non|mis(?=\p{L}{4})|de(?=\p{L}{5}))(?=\p{L}{3})/u;
/** The same of adjectives: "valid" and "invalid". In other words these letters mean something else: "port" and "import". */
const NEGATED_ADJECTIVE = /^(?:il|im|in|ir)(?=\p{L}{3,}(?:[aeiu]t|al|ar|bl|ct|id|iv|nt|ur)$)/u;
/** "stateful" and "stateless" */
const WITH_OR_WITHOUT = /(?:ful|les)$/u;

/** Whether one word says the opposite of the other. Both in lower case. */
export const areOpposite = (one: string, other: string): boolean => {
  const [a, b] = [stem(one), stem(other)];
  if (a === b) return false;
  return (
    OPPOSITES.has(`${a} ${b}`) ||
    [NEGATED, NEGATED_ADJECTIVE].some((sign) => a === b.replace(sign, '') || b === a.replace(sign, '')) ||
    (WITH_OR_WITHOUT.test(a) && a.replace(WITH_OR_WITHOUT, '') === b.replace(WITH_OR_WITHOUT, ''))
  );
};

/** What is said of a thing, not done to it: "unlocked", "unsafe", "inactive". "Unlock" is not what happens without "lock". */
const SAID_OF_THINGS =
  /^(?:(?:un|dis)\p{L}*(?:ed|able|known|paid|read|safe|seen)|(?:non|il|im|in|ir)\p{L}+|\p{L}+less)$/u;

/** Whether one of two words holds where the other does not. Both in lower case. */
export const areComplements = (one: string, other: string): boolean => {
  const [a, b] = [one, other].map((word) => word.replace(/(?<=[a-z]{4})ly$/, '')) as [string, string];
  return (
    COMPLEMENTARY.has(`${stem(a)} ${stem(b)}`) ||
    (areOpposite(a, b) && (SAID_OF_THINGS.test(a) || SAID_OF_THINGS.test(b)))
  );
};
