/** Words that say the opposite of each other. To add a pair, put it here; the forms of verbs and plurals follow. */
const PAIRS = `accept:decline accept:reject active:idle add:subtract allow:deny append:prepend approve:reject attach:detach
beginning:end bottom:top buy:sell buyer:seller cheapest:dearest child:parent compress:extract connect:disconnect create:delete credit:debit
decode:encode decrease:increase decrypt:encrypt deposit:withdraw download:upload draft:final earlier:later enable:disable end:start even:odd
existing:new expand:collapse explicit:implicit export:import external:internal fail:succeed failure:success future:past global:local grow:shrink guest:host
hide:show higher:lower horizontal:vertical ignore:include include:exclude include:omit inner:outer issue:revoke join:leave lend:borrow lock:release long:short longest:shortest loss:profit
lossy:lossless manual:automatic may:must newer:older online:offline open:close optional:required pause:resume personal:shared private:public pull:push read:write receive:send
remote:local request:response row:column slow:fast slower:faster soft:hard start:stop strict:lenient synchronous:asynchronous
temporary:permanent upcoming:past weekday:weekend width:height win:lose`;

/** A verb, or the name of things, without its ending; units and other short words are as they are. */
export const stem = (word: string): string =>
  word.length < 4 ? word : word.replace(/(?<=..)ie[ds]$/, 'y').replace(/(?:ing|ed|es|s|e)$/, '');

const OPPOSITES: ReadonlySet<string> = new Set(
  PAIRS.split(/\s+/).flatMap((pair) => {
    const [one = '', other = ''] = pair.split(':').map(stem);
    return [`${one} ${other}`, `${other} ${one}`];
  }),
);

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
