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
  lastName,
  literal,
  parts,
  unwrap,
} from '../code.ts';
import type { EndpointCall, Handler, Uses } from '../types.ts';
import { endpointCalls } from './endpoint-call.ts';
import { helpersOf } from './helpers.ts';
import { inputUses } from './input.ts';
import type { Registered } from './registrations.ts';
import { callsIn, usesOf } from './uses.ts';

interface Region {
  tools: string[];
  nodes: AstNode[];
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

/** The functions in `{ a_raw: async (args) => … }`. Only those named like twins, since any object can have functions. */
const mapsOf = (code: Code): Region[] =>
  code.all({ kind: 'object', ...hasKey('\\w+_raw') }).flatMap((object) =>
    parts(object).flatMap((part) => {
      const name = part.field(part.kind() === 'method_definition' ? 'name' : 'key');
      const tool = name?.kind() === 'property_identifier' ? name.text() : literal(name);
      if (tool === undefined || !tool.endsWith('_raw')) return [];
      const value = part.kind() === 'method_definition' ? part : code.resolve(part.field('value') ?? undefined);
      return isFunction(value) ? [{ tools: [tool], nodes: [value] }] : [];
    }),
  );

const BY_NAME: AstRule = { kind: 'call_expression', has: { field: 'function', kind: 'identifier' } };

/** Adds the functions of this file that the code calls by name: `case 'a_raw': return writeRaw(args)`. */
const reached = (code: Code, nodes: readonly AstNode[]): AstNode[] => {
  const found = new Map(nodes.map((node) => [node.id(), node]));
  for (const node of nodes) {
    for (const { call } of callsIn(code, node, BY_NAME)) {
      const called = call.field('function');
      const target = called?.kind() === 'identifier' ? code.declared(called.text()) : undefined;
      if (isFunction(target)) found.set(target.id(), target);
    }
  }
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

const merge = (all: readonly Uses[]): Uses => ({
  picks: all.flatMap(({ picks }) => picks),
  whole: all.some(({ whole }) => whole),
  handed: all.flatMap(({ handed }) => handed),
  ...defined({ schema: all.find(({ schema }) => schema !== undefined)?.schema }),
  ...(all.some(({ validatedAt }) => validatedAt !== undefined) ? { validatedAt: 0 } : {}),
});

const payloadUses = (code: Code, nodes: readonly AstNode[]): Uses | undefined => {
  const helper = helpersOf(code);
  const found = nodes.flatMap((node) => {
    const parses = callsIn(code, node, callOf('^parse$'))
      .filter(({ call, args }) => {
        const { name, object } = callee(call);
        return name === 'parse' && isNamed(object, 'JSON') && isPayload(code, args[0]);
      })
      .map(({ call }) => call);
    return parses.length === 0 ? [] : [usesOf(code, node, parses, { through: true, schemas: true, helper })];
  });
  return found.length === 0 ? undefined : merge(found);
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
  return { tool, calls, payload: { ...uses, whole: uses.whole || hasText } };
};

/** The code that runs when a tool is called, as far as this file shows. */
export const handlersOf = (code: Code, registrations: readonly Registered[]): Handler[] => {
  const kit = registrations.flatMap(({ tool, forward }) => (forward ? [forwarded(code, tool, forward)] : []));
  const beside = registrations.flatMap(({ tool, handler }) => (handler ? [{ tools: [tool], nodes: [handler] }] : []));
  const regions = [...beside, ...casesOf(code), ...branchesOf(code), ...mapsOf(code)];
  const found = regions.flatMap(({ tools, nodes }) => {
    code.check();
    const all = reached(code, nodes);
    const calls = all.flatMap((node) => endpointCalls(code, node));
    const payload = payloadUses(code, all);
    // Without a call here, a function of another file may send it.
    const maySend = calls.length === 0 || calls.some(sendsBody);
    const input = payload === undefined && maySend ? inputUses(code, nodes) : undefined;
    if (calls.length === 0 && !payload && (input?.handed ?? []).length === 0) return [];
    return tools.map((tool) => ({ tool, calls, ...(payload ? { payload } : {}), ...(input ? { input } : {}) }));
  });
  return [...kit, ...found];
};
