import { defined } from '../../../contract/defined.ts';
import {
  type AstNode,
  type AstRule,
  argumentsOf,
  type Code,
  callee,
  callOf,
  hasKey,
  isFunction,
  isNamed,
  isWrapper,
  kinds,
  lastName,
  literal,
  parts,
  unwrap,
} from '../code.ts';
import type { EndpointCall, Handler, Registration, Uses } from '../types.ts';
import { BY_NAME, callsIn, ownCallsIn } from './calls.ts';
import { endpointCalls } from './endpoint-call.ts';
import { type FoundHandler, getsArgumentsFirst, handlerOf } from './handler-of.ts';
import { helpersOf } from './helpers.ts';
import { importedValue } from './imports.ts';
import { inputUses } from './input.ts';
import { entryOf } from './parameters.ts';
import type { Registered } from './registrations.ts';
import { mergedUses, usesOf } from './uses.ts';

interface Region {
  tools: string[];
  nodes: AstNode[];
  /** It does not get the tool's arguments as its first one. */
  isShifted?: boolean;
}

/** The code of `case 'a': case 'b': …` in the switch of a call handler, for all its names. */
const casesOf = (code: Code): Region[] =>
  code
    .all({ kind: 'switch_body', has: { kind: 'switch_case', has: { field: 'value', kind: 'string' } } })
    .flatMap((body) => {
      const regions: Region[] = [];
      let names: string[] = [];
      for (const part of parts(body)) {
        const [value, ...statements] = parts(part);
        const name = part.kind() === 'switch_case' ? literal(value) : undefined;
        if (name !== undefined) names.push(name);
        if (statements.length === 0) continue;
        if (names.length > 0) regions.push({ tools: names, nodes: statements });
        names = [];
      }
      return regions;
    });

const ASKED: AstRule = {
  kind: 'if_statement',
  has: { field: 'condition', has: { kind: 'binary_expression', has: { kind: 'string' } } },
};

/** The code of `if (name === 'a') …`. */
const branchesOf = (code: Code): Region[] =>
  code.all(ASKED).flatMap((node) => {
    const asked = node.field('condition');
    const condition = asked && unwrap(asked);
    const body = node.field('consequence');
    if (condition?.kind() !== 'binary_expression' || !/^===?$/.test(condition.field('operator')?.text() ?? ''))
      return [];
    const name = literal(condition.field('right')) ?? literal(condition.field('left'));
    return name === undefined || !body ? [] : [{ tools: [name], nodes: [body] }];
  });

const ofHandler = (tool: string, found: FoundHandler): Region => ({
  tools: [tool],
  nodes: [found.handler],
  isShifted: !getsArgumentsFirst(found),
});

/** The functions in `{ a_raw: async (args) => … }`. Only those named like twins, since any object can have functions. */
const mapsOf = (code: Code): Region[] =>
  code.all({ kind: 'object', ...hasKey('\\w+_raw') }).flatMap((object) =>
    parts(object).flatMap((part) => {
      const name = part.field(part.kind() === 'method_definition' ? 'name' : 'key');
      const tool = name?.kind() === 'property_identifier' ? name.text() : literal(name);
      if (tool === undefined || !tool.endsWith('_raw')) return [];
      const found = handlerOf(code, part.kind() === 'method_definition' ? part : (part.field('value') ?? undefined));
      return found ? [ofHandler(tool, found)] : [];
    }),
  );

/** Adds the functions of this file that the code calls by name: `case 'a_raw': return writeRaw(args)`. */
const reached = (code: Code, nodes: readonly AstNode[]): AstNode[] => {
  const found = new Map(nodes.map((node) => [node.id(), node]));
  for (const { target } of nodes.flatMap((node) => ownCallsIn(code, node))) found.set(target.id(), target);
  return [...found.values()];
};

/** Whether a node is the text that a twin receives; other texts that it parses do not matter. */
const isPayload = (code: Code, node: AstNode | undefined): boolean => {
  if (!node) return false;
  const bare = unwrap(node);
  if (lastName(bare) === 'payload') return true;
  if (bare.kind() === 'call_expression' && callee(bare).name === 'String') return isPayload(code, argumentsOf(bare)[0]);
  if (bare.kind() !== 'identifier') return false;
  const declared = code.declared(bare.text());
  return declared?.kind() === 'member_expression' && lastName(declared) === 'payload';
};

/** The name that a value gets where it stands: `const name = value as Input`; undefined if it gets none. */
const boundTo = (code: Code, node: AstNode): string | undefined => {
  let parent = code.parent(node);
  while (parent && isWrapper(parent)) parent = code.parent(parent);
  const name = parent?.kind() === 'variable_declarator' ? parent.field('name') : undefined;
  return name?.kind() === 'identifier' ? name.text() : undefined;
};

const isJsonParse = (call: AstNode): boolean => {
  const { name, object } = callee(call);
  return name === 'parse' && isNamed(object, 'JSON');
};

/** Whether a function of this file returns what it parses: `(text) => JSON.parse(text)`. */
const isParser = (code: Code, target: AstNode | undefined, at: number): target is AstNode => {
  const entry = isFunction(target) ? entryOf(code, target, at) : undefined;
  const body = target?.field('body');
  if (!entry || !body) return false;
  const isOwn = (node: AstNode): boolean => code.functionAround(node) === code.functionAround(body);
  const returned = code.all(kinds('return_statement'), body).filter(isOwn);
  return callsIn(code, target as AstNode, callOf('^parse$')).some(({ call, args: [text] }) => {
    if (!isJsonParse(call) || !isOwn(call) || !entry.sources.some((one) => text && one.id() === unwrap(text).id()))
      return false;
    const name = boundTo(code, call);
    return [body, ...returned.flatMap((one) => parts(one)[0] ?? [])]
      .map(unwrap)
      .some((value) => value.id() === call.id() || (name && isNamed(value, name)));
  });
};

/** Calls that parse the payload: JSON.parse, `parsePayload` of our kit, and functions of this file that do it. */
const parsesOf = (code: Code, node: AstNode): { call: AstNode; text: AstNode; parser?: AstNode }[] =>
  callsIn(code, node, { any: [callOf('^parse$'), BY_NAME] }).flatMap(({ call, args }) => {
    const at = args.findIndex((arg) => isPayload(code, arg));
    const text = args[at];
    if (!text) return [];
    if (isJsonParse(call)) return at === 0 ? [{ call, text }] : [];
    const { name, object } = callee(call);
    if (object !== undefined) return [];
    const parser = code.declared(name);
    if (isParser(code, parser, at)) return [{ call, text, parser }];
    return name === 'parsePayload' && parser === undefined ? [{ call, text }] : [];
  });

/** Where the text of the payload is used in a piece of code; its binding to another name is no use. */
const textsIn = (code: Code, node: AstNode): AstNode[] => {
  // `const payload = { a, b }` gives the name to something else.
  const isOther = code
    .all({ kind: 'variable_declarator', has: { field: 'name', regex: '^payload$' } }, node)
    .some((one) => !isPayload(code, one.field('value') ?? undefined));
  return code
    .all(kinds('identifier', 'shorthand_property_identifier', 'member_expression', 'subscript_expression'), node)
    .filter((one) => (isOther && one.text() === 'payload' ? false : isPayload(code, one)))
    .filter((one) => boundTo(code, one) === undefined);
};

/** Whether the code passes the text of the payload on, besides parsing it: `body: payload`. */
const passesText = (code: Code, node: AstNode, texts: readonly AstNode[], depth = 0): boolean => {
  const parsed = new Set(parsesOf(code, node).map(({ text }) => unwrap(text).id()));
  for (const { call, args } of callsIn(code, node, callOf('^parse$')))
    if (isJsonParse(call) && args[0]) parsed.add(unwrap(args[0]).id());
  const handed = ownCallsIn(code, node).flatMap(({ args, target }) => {
    const at = args.findIndex((arg) => texts.some((text) => text.id() === unwrap(arg).id()));
    const entry = at >= 0 && depth < 3 ? entryOf(code, target, at) : undefined;
    return entry ? [{ text: unwrap(args[at] as AstNode).id(), entry }] : [];
  });
  const followed = new Set(handed.map(({ text }) => text));
  const left = texts.filter((text) => !parsed.has(text.id()) && !followed.has(text.id()));
  return (
    usesOf(code, node, left).whole ||
    handed.some(({ text, entry }) => !parsed.has(text) && passesText(code, entry.region, entry.sources, depth + 1))
  );
};

const payloadUses = (code: Code, nodes: readonly AstNode[]): Uses | undefined => {
  const helper = helpersOf(code);
  const parses = nodes.map((node) => ({ node, calls: parsesOf(code, node) }));
  const parsers = new Set(parses.flatMap(({ calls }) => calls.flatMap(({ parser }) => parser?.id() ?? [])));
  const own = parses.filter(({ node }) => !parsers.has(node.id()));
  const found = own.flatMap(({ node, calls }) => {
    const parsed = calls.map(({ call }) => call);
    return parsed.length === 0 ? [] : [usesOf(code, node, parsed, { through: true, schemas: true, helper })];
  });
  if (found.length === 0) return undefined;
  const uses = mergedUses(found);
  return { ...uses, whole: uses.whole || own.some(({ node }) => passesText(code, node, textsIn(code, node))) };
};

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

const sendsBody = ({ method, bodyless }: EndpointCall): boolean => !bodyless && !READS.has(method ?? '');

/** What the function of a twin of our kit does: it gets the parsed payload and, as a second parameter, the original text. */
const forwarded = (code: Code, tool: string, forward: AstNode): Handler => {
  const calls = reached(code, [forward]).flatMap((node) => endpointCalls(code, node));
  const uses = inputUses(code, [forward], true) ?? { picks: [], whole: false, handed: [] };
  // A second parameter gets the text of the payload, so the whole payload.
  const parameters = forward.field('parameters');
  const hasText = parameters !== null && parts(parameters).length > 1;
  return { tool, file: code.file, calls, payload: { ...uses, whole: uses.whole || hasText } };
};

/** What the code does that runs when some tools are called. */
const handlersIn = (code: Code, { tools, nodes, isShifted }: Region): Handler[] => {
  code.check();
  const all = reached(code, nodes);
  const calls = all.flatMap((node) => endpointCalls(code, node));
  const payload = payloadUses(code, all);
  // Without a call here, a function of another file may send it.
  const maySend = calls.length === 0 || calls.some(sendsBody);
  const input = payload === undefined && maySend && !isShifted ? inputUses(code, nodes) : undefined;
  if (calls.length === 0 && !payload && (input?.handed ?? []).length === 0) return [];
  const own = { file: code.file, calls, ...defined({ payload, input }) };
  return tools.map((tool) => ({ tool, ...own }));
};

/** The code that runs when a tool is called, as far as this file shows. */
export const handlersOf = (code: Code, registrations: readonly Registered[]): Handler[] => {
  const kit = registrations.flatMap(({ tool, forward }) => (forward ? [forwarded(code, tool, forward)] : []));
  const beside = registrations.flatMap(({ tool, handler }) => (handler ? [ofHandler(tool, handler)] : []));
  const regions = [...beside, ...casesOf(code), ...branchesOf(code), ...mapsOf(code)];
  return [...kit, ...regions.flatMap((region) => handlersIn(code, region))];
};

/** The handler that another file imports from this one. */
export const importedHandler = (code: Code, { tool, place, handlerIn }: Registration): Handler[] => {
  const found = handlerIn && handlerOf(code, importedValue(code, handlerIn));
  if (!found) return [];
  const isWrapped = found.isWrapped || handlerIn.isWrapped;
  return handlersIn(code, ofHandler(tool, { ...found, isWrapped })).map((one) => ({ ...one, file: place.file }));
};
