import { defined } from '../../../contract/defined.ts';
import {
  type AstNode,
  type AstRule,
  argumentsOf,
  type Code,
  callee,
  callOf,
  hasKey,
  lastName,
  literal,
  parts,
  property,
  unwrap,
} from '../code.ts';
import type { EndpointCall } from '../types.ts';
import { callsIn } from './calls.ts';

const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];
const CLIENTS = '^(axios|fetch|got|ky|request|undici|superagent|nodeFetch|fetchJson)$';
const isClientName = new RegExp(CLIENTS, 'i');
const VERBS = METHODS.join('|');

/** A rule for calls that may be requests: examining all others would take longer than everything else. */
const REQUESTS: AstRule = {
  any: [
    callOf(`(?i)${CLIENTS}`),
    callOf(`^(?:${VERBS.toLowerCase()}|del)$|(?:Post|Put|Patch|Delete|Get)(?:Json|JSON)?$`),
    {
      kind: 'call_expression',
      has: {
        field: 'function',
        kind: 'member_expression',
        has: { field: 'object', kind: 'identifier', regex: `(?i)${CLIENTS}` },
      },
    },
    {
      kind: 'call_expression',
      has: {
        field: 'arguments',
        any: [
          { has: { kind: 'string', regex: `^["'](?:${VERBS})["']$` } },
          { has: { kind: 'object', ...hasKey('method') } },
        ],
      },
    },
  ],
};

/** The text of a literal, a template or a concatenation, with `:` for computed parts; undefined for anything else. */
const pattern = (code: Code, node: AstNode | undefined, depth = 0): string | undefined => {
  if (!node || depth > 8) return undefined;
  const bare = unwrap(node);
  const text = literal(bare);
  if (text !== undefined) return text;
  if (bare.kind() === 'template_string') {
    return parts(bare)
      .map((part) => (part.kind() === 'template_substitution' ? ':' : part.text()))
      .join('');
  }
  if (bare.kind() === 'binary_expression' && bare.field('operator')?.text() === '+') {
    const [left, right] = [bare.field('left'), bare.field('right')];
    return `${pattern(code, left ?? undefined, depth + 1) ?? ':'}${pattern(code, right ?? undefined, depth + 1) ?? ':'}`;
  }
  if (bare.kind() === 'identifier') {
    const declared = code.declared(bare.text());
    return declared && declared.id() !== bare.id() ? pattern(code, declared, depth + 1) : undefined;
  }
  // `new URL('/x', base)`
  if (bare.kind() === 'new_expression' && lastName(bare.field('constructor')) === 'URL') {
    const list = bare.field('arguments');
    return list ? pattern(code, parts(list)[0], depth + 1) : undefined;
  }
  return undefined;
};

/** The segments of a URL's path, without origin and query; undefined if the text is not a URL. */
export const segmentsOf = (text: string): string[] | undefined => {
  const path = text.replace(/^[a-z]+:\/\/[^/]*/i, '').split(/[?#]/, 1)[0] ?? '';
  const start = path.indexOf('/');
  // In `${BASE}/x` and `${BASE}x` the path follows the base; with words before the first slash it is not a URL.
  if (start < 0 || !/^:*$/.test(path.slice(0, start))) return undefined;
  const segments = path.slice(start).split('/').filter(Boolean);
  return segments.map((segment) => (segment.includes(':') || /^\{.*\}$/.test(segment) ? ':' : segment));
};

const upper = (text: string | undefined): string | undefined => {
  const method = text?.toUpperCase();
  return method !== undefined && METHODS.includes(method) ? method : undefined;
};

const isConfig = (spread: AstNode | undefined): boolean =>
  spread?.kind() === 'call_expression' && argumentsOf(spread).length === 0;

/** Whether options have none of these, also not in a spread. */
const lacks = (options: AstNode, names: readonly string[]): boolean =>
  !parts(options).some((part) => part.kind() === 'spread_element' && !isConfig(parts(part)[0])) &&
  names.every((name) => property(options, name) === undefined);

/** Whether a method is one of HTTP, as far as it is known: that of `{ method: 'notes/create', params }` is not. */
const isMethod = (method: AstNode | undefined): boolean =>
  method !== undefined && (literal(method) === undefined || upper(literal(method)) !== undefined);

/** Whether options have no body: `{ method: 'POST' }`, also with `...config()`, which takes no part of the input. */
const isBodyless = (options: AstNode | undefined): boolean =>
  options !== undefined && isMethod(property(options, 'method')) && lacks(options, ['body', 'data', 'json']);

const isEmpty = (body: AstNode | undefined): boolean =>
  /^(undefined|null)$/.test(String(body?.kind() ?? '')) || (body?.kind() === 'object' && !parts(body)[0]);

/** The name of a client: `ky` for `ky` itself, and for what it made: `const api = ky.create(…)`. */
const clientOf = (code: Code, node: AstNode | undefined): string => {
  const made = code.follow(node);
  const from = made?.kind() === 'call_expression' ? callee(made).object : undefined;
  return lastName(from ?? node) ?? '';
};

/** Values that a client writes behind the `?` of the URL, and whether the request has nothing else to send. */
interface Query {
  values: AstNode;
  isAll: boolean;
}

/** The options of got and ky are an argument behind the URL, or the only one. */
const searchParamsIn = (options: readonly (AstNode | undefined)[]): Query | undefined => {
  const found = options.find((one) => property(one, 'searchParams'));
  const values = property(found, 'searchParams');
  return found && values && { values, isAll: lacks(found, ['body', 'json', 'form']) };
};

const WITH_BODY = /^(post|put|patch)$/;
const WITHOUT_BODY = /^(delete|del|get|head)$/;

/** The options of axios are its third argument where the second is a body. Elsewhere `params` may be part of a body. */
const paramsIn = (name: string, given: readonly (AstNode | undefined)[]): Query | undefined => {
  const [url, second, third] = given;
  const options = WITH_BODY.test(name)
    ? third
    : WITHOUT_BODY.test(name)
      ? second
      : name === 'axios'
        ? (second ?? url)
        : undefined;
  const values = property(options, 'params');
  const isAll = (options && lacks(options, ['data']) && (!WITH_BODY.test(name) || isEmpty(second))) ?? false;
  return values && { values, isAll };
};

const queryOf = (code: Code, call: AstNode, args: readonly AstNode[]): Query | undefined => {
  const { name, object } = callee(call);
  const given = args.map((arg) => code.resolve(arg));
  const client = clientOf(code, object ?? call.field('function') ?? undefined);
  if (/^(got|ky)$/i.test(client)) return searchParamsIn(given);
  const isAxios = /^axios$/i.test(client) && (object === undefined || name === 'request');
  return object === undefined && !isAxios ? undefined : paramsIn(isAxios ? 'axios' : name, given);
};

/** What a call may give the URL in: its arguments, or members of its options. */
const urlsGiven = (args: readonly AstNode[], options: readonly (AstNode | undefined)[]): AstNode[] => [
  ...args,
  ...options.flatMap((arg) => property(arg, 'url') ?? property(arg, 'path') ?? []),
];

const optionsIn = (code: Code, args: readonly AstNode[]): (AstNode | undefined)[] =>
  args.map((arg) => code.resolve(arg)).filter((arg) => arg?.kind() === 'object');

/** Method and path of an HTTP call; undefined if this does not look like one. */
const endpointCall = (code: Code, call: AstNode, args: readonly AstNode[]): EndpointCall | undefined => {
  const { name, object } = callee(call);
  const options = optionsIn(code, args);
  const method =
    options.map((arg) => upper(literal(property(arg, 'method')))).find(Boolean) ??
    args.map((arg) => (literal(arg) === literal(arg)?.toUpperCase() ? upper(literal(arg)) : undefined)).find(Boolean) ??
    (object ? upper(name === 'del' ? 'delete' : name) : undefined) ??
    upper(/(Post|Put|Patch|Delete|Get)(Json|JSON)?$/.exec(name)?.[1]);
  const isClient = isClientName.test(name) || isClientName.test(object ? (lastName(object) ?? '') : '');
  const text = urlsGiven(args, options)
    .map((arg) => pattern(code, arg))
    .find((found) => found !== undefined && segmentsOf(found) !== undefined);
  const path = text === undefined ? undefined : segmentsOf(text);
  // `map.delete(key)` and `cache.get('a')` are not requests: a method alone is not enough, nor is a path.
  if (!isClient && !(method !== undefined && path !== undefined)) return undefined;
  const bodyless = options.some(isBodyless) || queryOf(code, call, args)?.isAll ? { bodyless: true as const } : {};
  return { ...bodyless, ...defined({ method: method || !isClient ? method : 'GET', path }) };
};

/** Where the code writes the URLs of calls, and what clients add to them. A value in a URL is not part of a body. */
export const urlsIn = (code: Code, region: AstNode): AstNode[] =>
  callsIn(code, region, REQUESTS).flatMap(({ call, args }) => {
    const query = queryOf(code, call, args)?.values;
    const urls = urlsGiven(args, optionsIn(code, args)).flatMap((arg) => {
      const text = pattern(code, arg);
      const written = code.resolve(arg);
      return text !== undefined && segmentsOf(text) !== undefined && written ? [arg, written] : [];
    });
    return [...urls, ...[query, code.resolve(query)].flatMap((one) => one ?? [])];
  });

export const endpointCalls = (code: Code, region: AstNode): EndpointCall[] =>
  callsIn(code, region, REQUESTS).flatMap(({ call, args }) => endpointCall(code, call, args) ?? []);
