// How code takes some fields out of a value without reading each by name: with a library, a filter, a list of names.
import { quoteList } from '../../../text/quote.ts';
import {
  type AstNode,
  argumentsOf,
  type Code,
  callee,
  isFunction,
  isNamed,
  isWrapper,
  keyName,
  kinds,
  literal,
  oncePerFile,
  parametersOf,
  parts,
  shortText,
  unwrap,
} from '../code.ts';

/** If nothing shows which fields these are. */
const SOME = ['[…]'];

/** The fields that are picked from a value, as far as the source names them. */
export const fieldsText = (fields: readonly string[]): string => {
  const named = fields.filter((field) => !SOME.includes(field));
  if (named.length === 0) return 'some fields';
  return named.length < fields.length ? `${quoteList(named)} and others` : quoteList(named);
};

/** Its names in lodash, remeda, ramda, radash and the like. The value comes before or after the names, or is curried. */
const PICKS = /^(pick|pickBy|pickAll|selectKeys)$/;
const PIPES = /^(pipe|flow|chain|tap)$/;
const STEPS = /^(forEach|map|flatMap|reduce|reduceRight|filter)$/;
const MOST_STEPS = 30;

/** The texts in a list of names: an array, or a set made of one, also where it is declared in this file. */
const listedIn = (code: Code, node: AstNode | undefined): string[] | undefined => {
  const bare = code.resolve(node);
  if (bare?.kind() === 'new_expression') {
    const list = bare.field('arguments');
    return list ? listedIn(code, parts(list)[0]) : undefined;
  }
  if (bare?.kind() !== 'array') return undefined;
  const names = parts(bare).map((part) => literal(part));
  return names.every((name) => name !== undefined) && names.length > 0 ? (names as string[]) : SOME;
};

const namesFrom = (code: Code, args: readonly AstNode[]): string[] => {
  const found = args.flatMap((arg) => listedIn(code, arg) ?? literal(arg) ?? []);
  return found.length > 0 ? found : SOME;
};

/** Names under which a library's `pick` is imported: `import only from 'lodash/pick'`, `import { pick as only } from 'remeda'`. */
const importedPicks = oncePerFile((code) => {
  const names = new Set<string>();
  for (const statement of code.all(kinds('import_statement'))) {
    const module = literal(statement.field('source')) ?? '';
    for (const one of code.all(kinds('import_specifier'), statement))
      if (PICKS.test(one.field('name')?.text() ?? '')) names.add(one.field('alias')?.text() ?? '');
    const clause = parts(statement).find((part) => part.kind() === 'import_clause');
    const whole = clause && parts(clause).find((part) => part.kind() === 'identifier');
    if (whole && /[./-]pick(By)?(\.[cm]?js)?$/i.test(module)) names.add(whole.text());
  }
  return names;
});

const isPick = (code: Code, node: AstNode | undefined | null): boolean => {
  if (node?.kind() !== 'call_expression') return false;
  const { name, object } = callee(node);
  return PICKS.test(name) || (object === undefined && importedPicks(code).has(name));
};

/** The fields that a call picks from its argument; undefined if it picks none. */
export const pickedBy = (code: Code, call: AstNode, value: AstNode): string[] | undefined => {
  const others = argumentsOf(call).filter((arg) => arg.id() !== value.id());
  if (isPick(code, call)) return namesFrom(code, others);
  const called = call.field('function');
  // `R.pick(['a'])(body)`
  if (called && isPick(code, called)) return namesFrom(code, argumentsOf(called));
  const { name, object } = callee(call);
  const inPipe = PIPES.test(name) ? others.map(unwrap).find((one) => isPick(code, one)) : undefined;
  if (inPipe) return namesFrom(code, argumentsOf(inPipe));
  // A replacer that is a list of names keeps only these.
  if (name === 'stringify' && isNamed(object, 'JSON')) return keptByReplacer(code, argumentsOf(call)[1]);
  return undefined;
};

/** What the second argument of `JSON.stringify` keeps: a list of names, or a function that looks a name up. */
const keptByReplacer = (code: Code, replacer: AstNode | undefined): string[] | undefined => {
  const resolved = code.resolve(replacer);
  if (!isFunction(resolved)) return listedIn(code, replacer);
  const [key] = parametersOf(resolved);
  const bound = key?.field('pattern') ?? key;
  const body = resolved.field('body');
  if (bound?.kind() !== 'identifier' || !body) return undefined;
  const isLookedUp = identifiersIn(code, body)
    .filter((one) => one.text() === bound.text())
    .map((one) => code.parent(one))
    .some((one) => one?.kind() === 'arguments' || one?.field('operator')?.text() === 'in');
  return isLookedUp ? SOME : undefined;
};

/** What becomes of all the fields of a value: all are kept, some are, or that is unknown (undefined). */
export type Fate = { kept: 'all' } | { kept: 'some'; fields: string[]; rest?: boolean } | undefined;

const identifiersIn = (code: Code, node: AstNode): AstNode[] => code.all(kinds('identifier'), node);

/** The name that a callback's first parameter gives the key: `k` of `([k, v]) => …`; undefined if it binds no key. */
const keyBound = (callback: AstNode, isPair: boolean): string | undefined => {
  const [first] = parametersOf(callback);
  const pattern = first?.field('pattern') ?? first;
  if (!isPair) return pattern?.kind() === 'identifier' ? pattern.text() : undefined;
  if (pattern?.kind() !== 'array_pattern') return pattern ? '' : undefined;
  // `([, value])`: the key comes before the first comma.
  const inside = pattern.children().filter((child) => !/^[[\]]$/.test(child.text()));
  return inside[0]?.kind() === 'identifier' ? inside[0].text() : undefined;
};

/** What a filter over the keys or entries of a value keeps. One that only tests values loses no field that has a value. */
const keptBy = (code: Code, callback: AstNode | undefined, isPair: boolean): Fate => {
  const test = code.resolve(callback);
  if (!isFunction(test)) return undefined;
  const key = keyBound(test, isPair);
  const body = test.field('body');
  if (!body || key === undefined) return { kept: 'all' };
  const used = identifiersIn(code, body).filter((one) => one.text() === key);
  if (used.length === 0 && key !== '') return { kept: 'all' };
  const compared = used.map((one) => code.parent(one));
  const unequal = compared.every(
    (node) => node?.kind() === 'binary_expression' && /^!==?$/.test(node.field('operator')?.text() ?? ''),
  );
  const literals = code.all(kinds('string'), body).flatMap((node) => literal(node) ?? []);
  if (key !== '' && unequal && literals.length > 0) return { kept: 'some', fields: literals, rest: true };
  const lists = code
    .all({ kind: 'member_expression' }, body)
    .flatMap((node) => listedIn(code, node.field('object') ?? undefined) ?? []);
  const fields = lists.length > 0 ? lists : literals;
  // `!DROPPED.has(key)` drops the known names, and keeps the rest.
  const isRest = unwrap(body).kind() === 'unary_expression' && unwrap(body).field('operator')?.text() === '!';
  return { kept: 'some', fields: fields.length > 0 ? fields : SOME, ...(isRest ? { rest: true } : {}) };
};

/** What the calls chained to `Object.entries(body)` and `Object.keys(body)` do with the fields. */
export const fateOfEntries = (code: Code, call: AstNode): Fate => {
  const { name, object } = callee(call);
  if (!isNamed(object, 'Object') || !/^(entries|keys)$/.test(name)) return undefined;
  return fateFrom(code, call, { isPair: name === 'entries', fate: { kept: 'all' }, left: MOST_STEPS });
};

/** On the way from step to step: what is kept so far, and how many more steps are followed. */
interface Following {
  /** Of entries, not of keys. */
  isPair: boolean;
  fate: NonNullable<Fate>;
  left: number;
}

/** What is kept in the end, if the last step keeps all that it is given, or some of it. */
const lastly = ({ fate }: Following, last: Fate): Fate => (last && fate.kept === 'some' ? fate : last);

/** What becomes of the fields in what a node gives. */
const fateFrom = (code: Code, node: AstNode, so: Following): Fate => {
  const parent = so.left > 0 ? code.parent(node) : undefined;
  if (!parent) return undefined;
  if (isWrapper(parent)) return fateFrom(code, parent, { ...so, left: so.left - 1 });
  const around = code.parent(parent);
  switch (parent.kind()) {
    case 'member_expression':
      return around?.kind() === 'call_expression' ? fateOfStep(code, parent, around, so) : undefined;
    case 'variable_declarator': {
      // `const kept = Object.entries(body).filter(…)`, and then `Object.fromEntries(kept)`.
      const bound = parent.field('name');
      return bound?.kind() === 'identifier' && isMadeAgain(code, bound.text()) ? so.fate : undefined;
    }
    case 'for_in_statement':
      return parent.field('right')?.id() === node.id() ? lastly(so, fateInLoop(code, parent, so.isPair)) : undefined;
    case 'arguments':
      return around?.kind() === 'call_expression' && callee(around).name === 'fromEntries' ? so.fate : undefined;
    default:
      return undefined;
  }
};

/** What becomes of them behind a call of a method: `.filter(…)`, `.forEach(…)`. */
const fateOfStep = (code: Code, method: AstNode, call: AstNode, so: Following): Fate => {
  const step = keyName(method.field('property')) ?? '';
  const [callback] = argumentsOf(call);
  if (!STEPS.test(step)) return undefined;
  if (/^(reduce|forEach)$/.test(step)) return lastly(so, so.isPair ? fateInCallback(code, callback) : undefined);
  const kept = step === 'filter' ? keptBy(code, callback, so.isPair) : so.fate;
  const fate = kept?.kept === 'all' ? so.fate : kept;
  return fate && fateFrom(code, call, { ...so, fate, left: so.left - 1 });
};

/** Whether code writes a value to an object under this key. */
const putsUnder = (code: Code, body: AstNode, key: string): boolean =>
  code
    .all(kinds('assignment_expression'), body)
    .map((one) => one.field('left'))
    .some((left) => left?.kind() === 'subscript_expression' && isNamed(left.field('index'), key)) ||
  code.all(kinds('computed_property_name'), body).some((one) => isNamed(parts(one)[0], key));

/** What a function that gets an entry copies: `([key, value]) => { out[key] = value; }`, `(out, [key, value]) => …`. */
const fateInCallback = (code: Code, callback: AstNode | undefined): Fate => {
  const target = code.resolve(callback);
  const list = isFunction(target) ? target.field('parameters') : undefined;
  const pair = list && code.all(kinds('array_pattern'), list)[0];
  const key = pair && parts(pair)[0];
  if (!target || key?.kind() !== 'identifier' || !putsUnder(code, target, key.text())) return undefined;
  return fateOfTests(code, target, key.text());
};

/** What a loop over the keys or entries of a value copies, if it copies them by name. */
const fateInLoop = (code: Code, loop: AstNode, isPair: boolean): Fate => {
  const left = loop.field('left');
  const bound = isPair ? left && parts(left)[0] : left;
  const [key, body] = [bound?.kind() === 'identifier' ? bound.text() : undefined, loop.field('body')];
  if (key === undefined || !body) return undefined;
  return isPair && putsUnder(code, body, key) ? fateOfTests(code, loop, key) : undefined;
};

/** Which fields remain after a loop's tests of their names. @param value the text of an expression for the field's value */
const fateOfTests = (code: Code, loop: AstNode, key: string, value = ''): Fate => {
  const tests = code
    .all(kinds('if_statement', 'ternary_expression'), loop)
    .flatMap((node) => node.field('condition') ?? [])
    .filter((node) => identifiersIn(code, node).some((one) => one.text() === key))
    // A test of only the value loses no field that has a value.
    .filter((node) => !code.all(kinds('subscript_expression'), node).some((one) => shortText(one) === value));
  if (tests.length === 0) return { kept: 'all' };
  const names = tests.flatMap((node) =>
    code.all(kinds('member_expression'), node).flatMap((one) => listedIn(code, one.field('object') ?? undefined) ?? []),
  );
  return { kept: 'some', fields: names.length > 0 ? names : SOME };
};

const isMadeAgain = (code: Code, name: string): boolean =>
  code
    .all({ kind: 'call_expression', has: { field: 'function', regex: 'fromEntries$' } })
    .some((call) => argumentsOf(call).some((arg) => isNamed(unwrap(arg), name)));

/** Where a name in brackets comes from: `k` in `for (const k of NAMES)` and `NAMES.map((k) => …)`. */
const listOfKey = (
  code: Code,
  node: AstNode,
  name: string,
): { list: AstNode; loop: AstNode; isIn: boolean } | undefined => {
  let at: AstNode | null = node;
  for (let steps = 0; at && steps < MOST_STEPS; steps++) {
    const inside: AstNode = at;
    at = code.parent(inside);
    if (at?.kind() === 'for_in_statement') {
      const [left, right] = [at.field('left'), at.field('right')];
      if (left?.text() === name && right) return { list: right, loop: at, isIn: at.field('operator')?.text() === 'in' };
    }
    if (!isFunction(at)) continue;
    const list = at.field('parameters') ?? at.field('parameter');
    if (!list || !identifiersIn(code, list).some((one) => one.text() === name)) continue;
    const call = code.parent(code.parent(at) ?? at);
    const { name: step, object } = call?.kind() === 'call_expression' ? callee(call) : { name: '' };
    return STEPS.test(step) && object ? { list: object, loop: at, isIn: false } : undefined;
  }
  return undefined;
};

/** What becomes of fields that code reads by a computed name: `out[key] = body[key]`. */
export const fateOfKeys = (code: Code, subscript: AstNode): Fate => {
  const [object, index] = [subscript.field('object'), subscript.field('index')];
  const key = index && unwrap(index);
  // `body[NAMES[i]]`
  const counted = key?.kind() === 'subscript_expression' ? (key.field('object') ?? undefined) : undefined;
  if (counted) {
    const names = listedIn(code, counted);
    return names && { kept: 'some', fields: names };
  }
  if (!object || key?.kind() !== 'identifier') return undefined;
  const found = listOfKey(code, subscript, key.text());
  if (found === undefined) return undefined;
  const list = unwrap(found.list);
  const own = shortText(unwrap(object));
  const ofIt = (call: AstNode): boolean =>
    /^(keys|entries)$/.test(callee(call).name) && argumentsOf(call).some((arg) => shortText(unwrap(arg)) === own);
  const isAll = found.isIn ? shortText(list) === own : list.kind() === 'call_expression' && ofIt(list);
  if (isAll) return fateOfTests(code, found.loop, key.text(), shortText(subscript));
  if (list.kind() === 'call_expression' && callee(list).name === 'filter') {
    const inner = callee(list).object;
    const kept =
      inner?.kind() === 'call_expression' && ofIt(inner) ? keptBy(code, argumentsOf(list)[0], false) : undefined;
    return kept ?? { kept: 'some', fields: SOME };
  }
  return { kept: 'some', fields: listedIn(code, list) ?? SOME };
};
