import { defined } from '../../../contract/defined.ts';
import {
  type AstNode,
  type AstRule,
  argumentsOf,
  type Code,
  callee,
  isFunction,
  isNamed,
  isWithin,
  isWrapper,
  keyName,
  kinds,
  lastName,
  parametersOf,
  parts,
  shortText,
  unwrap,
} from '../code.ts';
import type { HandedTo, Uses } from '../types.ts';
import type { FindHelper } from './helpers.ts';
import { isPutTogether } from './put-together.ts';
import { type Fate, fateOfEntries, fateOfKeys, letsThrough, pickedBy } from './strips.ts';

/** Matches functions that only look at a value and do not pass it on: logs, type guards, lists of keys. */
const LOOKS = /^(log|debug|trace|is[A-Z_]\w*|has[A-Z_]\w*|keys|values|entries|String|Boolean)$/;
const LOGS = /^(console|log|logger)$|\.(log|logger)$/;
/** Methods and objects that answer the caller: `res.json(body)`. `gateway.send(body)` passes it on. */
const ANSWERS = /^(json|send|end)$/;
const ANSWERERS = /^(c|ctx|res|reply|response)\b/;
const VALIDATES = /^(parse|safeParse|parseAsync|safeParseAsync|decode|decodeUnknown\w*|assert|check|cast)$|valid/i;
/** Matches functions that return what they were given. */
const PASSES_ON = /^(stringify|structuredClone|freeze)$/;

/** Whether a call validates its argument. */
export const isValidator = (call: AstNode): boolean => {
  const { name, object } = callee(call);
  // JSON.parse parses, but does not validate.
  return VALIDATES.test(name) && !isNamed(object, 'JSON');
};

const looksOnly = (call: AstNode): boolean => {
  const { name, object } = callee(call);
  const on = object ? shortText(object) : '';
  return LOOKS.test(name) || LOGS.test(on) || (ANSWERS.test(name) && ANSWERERS.test(on));
};

/** The names of a function's parameters, as far as they are plain identifiers. */
const parameterNames = (node: AstNode): string[] =>
  parametersOf(node)
    .flatMap((part) => (part.kind() === 'identifier' ? [part] : parts(part)))
    .filter((part) => part.kind() === 'identifier')
    .map((part) => part.text());

/** The name under which a part of a pattern is known: `t` of `{ title: t = '' }`. */
const boundName = (part: AstNode): string | undefined => {
  const bare = part.kind() === 'object_assignment_pattern' ? parts(part)[0] : part;
  const name = bare?.kind() === 'pair_pattern' ? bare.field('value') : bare;
  const inner = name?.kind() === 'assignment_pattern' ? name.field('left') : name;
  return inner && /identifier/.test(String(inner.kind())) ? inner.text() : undefined;
};

export interface FollowOptions {
  /** Whether to follow a schema's result, too. */
  through?: boolean;
  /** Patterns that take the value apart where it comes in: `({ title }) => …`. */
  patterns?: readonly AstNode[];
  /** Whether a picked field counts, judged by where it is used. Without this, all count. */
  counts?(used: readonly AstNode[], isSure: boolean): boolean;
  /** Whether to report if only a schema's result is handed on. */
  schemas?: boolean;
  /** What is known about a function that gets the value. */
  helper?: FindHelper;
}

/** Follows a value through a piece of code: which of its fields are picked, and whether it is handed on whole. */
export const usesOf = (
  code: Code,
  region: AstNode,
  sources: readonly AstNode[],
  { through = false, patterns = [], counts, schemas = false, helper }: FollowOptions = {},
): Uses => {
  const uses: Uses = { picks: [], whole: false, handed: [] };
  if (sources.length === 0 && patterns.length === 0) return uses;
  const picked = new Set<string>();
  const aliases = new Set<string>();
  const queue: AstNode[] = [...sources];
  /** The results of schemas, which are followed after the rest. */
  const validated: { call: AstNode; isSure: boolean; isSafe: boolean }[] = [];
  let [isValidated, isStripped, isSafe] = [false, false, false];

  const pick = (field: string, node: AstNode, used: readonly AstNode[], isSure = false): void => {
    if (picked.has(field) || counts?.(used, isSure) === false) return;
    picked.add(field);
    uses.picks.push({ field, place: code.place(node), index: node.range().start.index });
  };

  const addAlias = (name: string): void => {
    if (aliases.has(name) || clashes.has(name)) return;
    aliases.add(name);
    for (const node of names.get(name) ?? []) queue.push(node);
  };

  /** What code puts beside the rest, by its name: `{ ...rest, tags }` and `rest.tags = tags`. */
  const besideRest = (rest: string) => {
    const around = (names.get(rest) ?? []).map((node) => ({ node, parent: code.parent(node) }));
    const objects = around.flatMap(({ parent }) => (parent?.kind() === 'spread_element' && code.parent(parent)) || []);
    const inObject = (object: AstNode) =>
      code
        .all(kinds('pair', 'shorthand_property_identifier'), object)
        .map((node) => ({ field: keyName(node.field('key') ?? node), node }));
    const writes = around.flatMap(({ node, parent }) => {
      const write = parent?.field('object')?.id() === node.id() ? code.parent(parent as AstNode) : null;
      const isWrite = write?.kind() === 'assignment_expression' && write.field('left')?.id() === parent?.id();
      return isWrite ? [{ field: lastName(parent), node: write as AstNode }] : [];
    });
    return [writes, ...objects.map((object) => [...writes, ...inObject(object)])];
  };

  const bind = (target: AstNode): void => {
    if (target.kind() === 'identifier') addAlias(target.text());
    if (target.kind() !== 'object_pattern') return;
    const rest = parts(target).find((part) => part.kind() === 'rest_pattern');
    const name = rest && parts(rest)[0]?.text();
    const taken = parts(target)
      .filter((part) => part.id() !== rest?.id())
      .map((part) => {
        const inner = part.kind() === 'object_assignment_pattern' ? parts(part)[0] : part;
        const local = boundName(part);
        const field = keyName(inner?.kind() === 'pair_pattern' ? inner.field('key') : inner) ?? '[…]';
        return { part, field, local, used: (local === undefined ? undefined : names.get(local)) ?? [] };
      });
    const beside = name === undefined ? [] : besideRest(name);
    const isBack = ({ field, used }: (typeof taken)[number], put: (typeof beside)[number]): boolean =>
      put.some((one) => one.field === field && used.some((node) => isWithin(node, [one.node])));
    for (const one of taken) {
      const { part, field, local, used } = one;
      if (beside.some((put) => isBack(one, put))) continue;
      // A name that is never used, beside a rest that is, only drops its field.
      const isDropped = local !== undefined && used.length === 0 && name !== undefined && names.has(name);
      if (!isDropped) read.add(field);
      pick(field, part, isDropped ? [part] : used, isDropped);
    }
    // `const { ...all } = body` takes everything; if fields are also picked, and not put back, the rest is not the whole.
    if (name !== undefined && beside.some((put) => taken.every((one) => isBack(one, put)))) addAlias(name);
    else if (rest) uses.rest = true;
  };

  /** The code destructures the result of `safeParse`: `const { data } = …`. */
  const bindResult = (target: AstNode): void => {
    if (target.kind() !== 'object_pattern') bind(target);
    const data = parts(target).find((part) => keyName(part.field('key') ?? part) === 'data');
    const local = data && boundName(data);
    if (local !== undefined) addAlias(local);
  };

  /** The code keeps some or all fields without naming each. */
  const keep = (fate: Fate, node: AstNode): void => {
    if (fate === undefined || isAnswer(code, node)) return;
    if (fate.kept === 'all') handOn(node);
    else {
      for (const field of fate.fields) pick(field, node, [node], true);
      if (fate.rest) uses.rest = true;
    }
  };

  /** The name that is followed, and the fields that the code deletes from it: `delete body.tags`. */
  let followed = '';
  const deleted: { name: string; field: string; node: AstNode }[] = [];
  const read = new Set<string>();
  const passed: { name: string; node: AstNode; handed?: HandedTo }[] = [];

  /** The code passes the value on unchanged. */
  const handOn = (node: AstNode): void => {
    if (isValidated && schemas) uses.schema ??= { place: code.place(node), isSure: isStripped };
    else passed.push({ name: followed, node });
  };

  /** Fields that are deleted, and read nowhere, are lost for what gets the value afterwards. */
  const settle = (): void => {
    const dropped = deleted.filter(({ field }) => !read.has(field));
    const lacks = (one: (typeof passed)[number]) =>
      dropped.filter(({ name, node }) => name === one.name && node.range().start.index < one.node.range().start.index);
    for (const one of passed) {
      const lost = lacks(one);
      if (lost.length > 0) uses.rest = true;
      else if (one.handed === undefined) uses.whole = true;
      for (const { field, node } of lost) pick(field, node, [node], true);
      if (one.handed) uses.handed.push({ ...one.handed, ...(lost.length > 0 ? { isPart: true as const } : {}) });
    }
  };

  const inCall = (call: AstNode, node: AstNode): 'climb' | undefined => {
    const { name, object } = callee(call);
    const fields = pickedBy(code, call, node);
    if (fields !== undefined) {
      keep({ kept: 'some', fields }, call);
      return undefined;
    }
    if (isValidator(call)) {
      uses.validatedAt = Math.min(uses.validatedAt ?? Number.POSITIVE_INFINITY, node.range().start.index);
      if (!through || !/^(parse|safeParse)(Async)?$/.test(name)) return undefined;
      // `v.parse(Schema, body)` names the schema first.
      const [first] = argumentsOf(call);
      const isLoose = letsThrough(code, first && first.id() !== node.id() ? first : object);
      if (!schemas || isLoose === true) return /^parse/.test(name) ? 'climb' : undefined;
      validated.push({ call, isSure: isLoose === false, isSafe: /^safe/.test(name) });
      return undefined;
    }
    if (PASSES_ON.test(name)) return 'climb';
    if (/^(entries|keys)$/.test(name)) keep(fateOfEntries(code, call), call);
    else if (!looksOnly(call)) handTo(call, node);
    return undefined;
  };

  /** The value is an argument of a function. */
  const handTo = (call: AstNode, node: AstNode): void => {
    const known = helper?.(
      call,
      argumentsOf(call).findIndex((arg) => arg.id() === node.id()),
    );
    if (known === undefined) handOn(node);
    else if ('module' in known) passed.push({ name: followed, node, handed: known });
    else if (known.picks.length === 0 || known.whole) handOn(node);
    else for (const { field } of known.picks) pick(field, call, [call], true);
  };

  /** Follows what happens to a value from one node on. */
  const follow = (start: AstNode): void => {
    let node = start;
    followed = start.kind() === 'identifier' ? start.text() : '';
    let isResult = isSafe;
    for (let steps = 0; steps < 100; steps++) {
      const parent = code.parent(node);
      if (!parent) return;
      const kind = String(parent.kind());
      if (isWrapper(parent)) {
        node = parent;
        continue;
      }
      switch (kind) {
        case 'binary_expression':
          // `body ?? {}` is still the body; `body === null` is not.
          if (!/^(\?\?|\|\|)$/.test(parent.field('operator')?.text() ?? '')) return;
          break;
        case 'ternary_expression':
          if (parent.field('condition')?.id() === node.id()) return;
          break;
        case 'variable_declarator':
          if (parent.field('value')?.id() !== node.id()) return;
          if (isResult) bindResult(parent.field('name') as AstNode);
          else bind(parent.field('name') as AstNode);
          return;
        case 'assignment_expression':
          if (parent.field('right')?.id() === node.id()) bind(parent.field('left') as AstNode);
          return;
        case 'member_expression':
        case 'subscript_expression': {
          if (parent.field('object')?.id() !== node.id()) return;
          const around = code.parent(parent);
          const called = around?.kind() === 'call_expression' && around.field('function')?.id() === parent.id();
          const written = around?.kind() === 'assignment_expression' && around.field('left')?.id() === parent.id();
          const isDeleted =
            around?.kind() === 'unary_expression'
              ? around.field('operator')?.text() === 'delete'
              : written && around.field('right')?.kind() === 'undefined';
          // Calling its methods, or writing to it, picks nothing.
          if (called || (written && !isDeleted)) return;
          const index = parent.field('index');
          // The result of `safeParse` holds the value under this name.
          if (isResult && keyName(parent.field('property')) !== 'data') return;
          if (isResult) {
            isResult = false;
            break;
          }
          const key = keyName(parent.field('property')) ?? (index ? keyName(unwrap(index)) : undefined);
          if (index && unwrap(index).kind() !== 'string') {
            if (isPutTogether(code, parent)) keep(fateOfKeys(code, parent), parent);
            return;
          }
          if (isDeleted) {
            if (key !== undefined) deleted.push({ name: followed, field: key, node: parent });
            return;
          }
          if (key !== undefined) read.add(key);
          if (key !== undefined && key !== 'length') pick(key, parent, [parent]);
          return;
        }
        case 'arguments': {
          const call = code.parent(parent);
          if (call?.kind() === 'call_expression' && inCall(call, node) === 'climb') {
            node = call;
            continue;
          }
          if (call?.kind() === 'new_expression') handOn(node);
          return;
        }
        case 'pair':
          if (parent.field('value')?.id() === node.id() && !isAnswer(code, parent)) handOn(node);
          return;
        case 'spread_element':
        case 'return_statement':
          handOn(node);
          return;
        case 'arrow_function':
          if (parent.field('body')?.id() === node.id()) handOn(node);
          return;
        default:
          if (kind === 'object' && node.kind() === 'shorthand_property_identifier' && !isAnswer(code, node))
            handOn(node);
          return;
      }
      node = parent;
    }
  };

  // A name that also means something else in this region is not followed: a missed finding is better than a false one.
  const bound = new Map<string, number>();
  for (const node of code.all(kinds('variable_declarator', 'arrow_function', 'function_expression'), region)) {
    const own = node.field('name');
    const found = isFunction(node)
      ? node.id() === region.id()
        ? []
        : parameterNames(node)
      : own?.kind() === 'identifier'
        ? [own.text()]
        : [];
    for (const name of found) bound.set(name, (bound.get(name) ?? 0) + 1);
  }
  const clashes = new Set([...bound].filter(([, times]) => times > 1).map(([name]) => name));
  const names = new Map<string, AstNode[]>();
  for (const node of code.all(kinds('identifier', 'shorthand_property_identifier'), region)) {
    const name = node.text();
    const alike = names.get(name);
    if (alike) alike.push(node);
    else names.set(name, [node]);
  }
  for (const pattern of patterns) bind(pattern);
  for (let node = queue.pop(); node; node = queue.pop()) follow(node);
  for (let next = validated.pop(); next; next = validated.pop()) {
    [isValidated, isStripped, isSafe] = [true, next.isSure, next.isSafe];
    follow(next.call);
    for (let node = queue.pop(); node; node = queue.pop()) follow(node);
  }
  settle();
  uses.picks.sort((a, b) => a.index - b.index);
  return uses;
};

/** What is done with a value in several pieces of code. */
export const mergedUses = (all: readonly Uses[]): Uses => ({
  picks: all.flatMap(({ picks }) => picks),
  whole: all.some(({ whole }) => whole),
  handed: all.flatMap(({ handed }) => handed),
  ...defined({ schema: all.find(({ schema }) => schema !== undefined)?.schema }),
  ...(all.some(({ rest }) => rest) ? { rest: true as const } : {}),
  ...(all.some(({ validatedAt }) => validatedAt !== undefined) ? { validatedAt: 0 } : {}),
});

/** Whether a property is part of an answer or a log: `res.json({ received: body })` does not pass the body on. */
const isAnswer = (code: Code, part: AstNode): boolean => {
  let node: AstNode | null = part;
  for (let steps = 0; node && steps < 8; steps++) {
    node = code.parent(node);
    if (node?.kind() === 'call_expression') {
      if (!PASSES_ON.test(callee(node).name)) return looksOnly(node);
    }
  }
  return false;
};

/** The calls in a region that match a rule, with their arguments. */
export const callsIn = (code: Code, region: AstNode, rule: AstRule): { call: AstNode; args: AstNode[] }[] =>
  code.all(rule, region).map((call) => ({ call, args: argumentsOf(call) }));
