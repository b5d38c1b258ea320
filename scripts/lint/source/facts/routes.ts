import {
  type AstNode,
  argumentsOf,
  type Code,
  callee,
  callOf,
  kinds,
  lastName,
  literal,
  parametersOf,
  parts,
  property,
} from '../code.ts';
import type { Facts, Route } from '../types.ts';
import { callsIn, isValidator } from './calls.ts';
import { segmentsOf } from './endpoint-call.ts';
import { handlerOf } from './handler-of.ts';
import { usesOf } from './uses.ts';

const VERBS = /^(post|put|patch|delete)$/;
/** Matches names of middleware that checks requests: `validate(schema)`, `zValidator('json', schema)`. */
const GUARDS = /valid|schema|zod|celebrate|joi|parse/i;

/** The name of a function's first parameter; for `({ body }) =>`, the name of `body` in it. */
const firstParameter = (handler: AstNode): { name?: string; body?: string } => {
  const [found] = parametersOf(handler);
  const target = found?.kind() === 'required_parameter' ? (found.field('pattern') ?? parts(found)[0]) : found;
  if (target?.kind() === 'identifier') return { name: target.text() };
  if (target?.kind() !== 'object_pattern') return {};
  const body = parts(target).find(
    (part) => part.kind() === 'shorthand_property_identifier_pattern' && part.text() === 'body',
  );
  return body ? { body: 'body' } : {};
};

/** The nodes in which a handler gets the body: `req.body`, `ctx.request.body`, `await c.req.json()`. */
const bodiesIn = (code: Code, handler: AstNode, { name, body }: { name?: string; body?: string }): AstNode[] => {
  const isRequest = (node: AstNode | null | undefined): boolean => {
    if (node?.kind() === 'identifier') return node.text() === name;
    const property = node && lastName(node);
    return (property === 'req' || property === 'request') && isRequest(node?.field('object'));
  };
  if (body !== undefined) {
    return code
      .all(kinds('identifier', 'shorthand_property_identifier'), handler)
      .filter((node) => node.text() === body);
  }
  if (name === undefined) return [];
  const members = code
    .all({ kind: 'member_expression', has: { field: 'property', regex: '^body$' } }, handler)
    .filter((node) => isRequest(node.field('object')));
  const reads = callsIn(code, handler, callOf('^json$'))
    .filter(({ call, args }) => isRequest(callee(call).object) && args.length === 0)
    .map(({ call }) => call);
  return [...members, ...reads];
};

/** Whether the code passes the request itself to a function that checks it, or to an unknown one. */
const requestGoesTo = (
  code: Code,
  handler: AstNode,
  name: string | undefined,
): { valid: boolean; unknown: boolean } => {
  const given = callsIn(code, handler, kinds('call_expression')).filter(({ args }) =>
    args.some((arg) => arg.kind() === 'identifier' && arg.text() === name),
  );
  return { valid: given.some(({ call }) => isValidator(call)), unknown: given.length > 0 };
};

const nameOfGuard = (node: AstNode): string =>
  node.kind() === 'call_expression' ? callee(node).name : (lastName(node) ?? '');

/** The guards of a route, also those in a list: `[auth, validate(Note)]`. */
const guardsIn = (code: Code, given: readonly AstNode[]): AstNode[] =>
  given.flatMap((guard) => {
    const list = code.follow(guard.kind() === 'spread_element' ? parts(guard)[0] : guard);
    return list?.kind() === 'array' ? parts(list) : [guard];
  });

/** Whether a route's schema has one for the body; `unknown` if the schema cannot be followed. */
const schemaForBody = (code: Code, options: AstNode | undefined): boolean | 'unknown' => {
  const given = property(options, 'schema');
  if (given === undefined) return false;
  const schema = code.follow(given);
  if (property(schema, 'body') !== undefined) return true;
  const isWhole = schema?.kind() === 'object' && !parts(schema).some((part) => part.kind() === 'spread_element');
  return isWhole ? false : 'unknown';
};

/** A route in `app.post('/x', guard, handler)`, `router.route('/x').post(handler)` or `app.route({ method, url, … })`. */
const readRoute = (
  code: Code,
  call: AstNode,
): { method: string; path: string; handler: AstNode; guards: AstNode[]; options?: AstNode } | undefined => {
  const { name, object } = callee(call);
  const args = argumentsOf(call);
  const only = args[0];
  if (name === 'route' && only?.kind() === 'object') {
    const handler = handlerOf(code, property(only, 'handler'))?.handler;
    const [method, path] = [literal(property(only, 'method')), literal(property(only, 'url'))];
    if (!handler || method === undefined || path === undefined) return undefined;
    if (!VERBS.test(method.toLowerCase())) return undefined;
    return { method: method.toUpperCase(), path, handler, guards: [], options: only };
  }
  if (!object || !VERBS.test(name)) return undefined;
  const chained =
    object.kind() === 'call_expression' && callee(object).name === 'route' ? argumentsOf(object)[0] : undefined;
  const path = literal(chained ?? only);
  const rest = chained ? args : args.slice(1);
  const handler = handlerOf(code, rest.at(-1))?.handler;
  // `axios.post('/x', body)` does not end in a function, and `emitter.delete('x', fn)` has no path: neither is a route.
  if (path === undefined || !/^[/*]|^$/.test(path) || !handler) return undefined;
  const guards = guardsIn(code, rest.slice(0, -1));
  const options = guards.map((guard) => code.resolve(guard)).find((guard) => guard?.kind() === 'object');
  return { method: name.toUpperCase(), path, handler, guards, ...(options ? { options } : {}) };
};

/** The routes that a file defines, and the prefixes under which it mounts routers. */
export const routesOf = (code: Code): Pick<Facts, 'routes' | 'mounts'> => {
  const routes: Route[] = [];
  const mounts: string[][] = [];
  let guarded = false;
  for (const call of code.all(callOf('^(post|put|patch|delete|route|use|register|basePath)$'))) {
    code.check();
    const { name, object } = callee(call);
    const args = argumentsOf(call);
    if (object && /^(use|register|route|basePath)$/.test(name)) {
      const options = args.map((arg) => code.resolve(arg)).find((arg) => arg?.kind() === 'object');
      const prefix = segmentsOf(literal(args[0]) ?? literal(property(options, 'prefix')) ?? '');
      if (prefix && prefix.length > 0) mounts.push(prefix);
      // `app.use(openApiValidator(…))` checks requests for all routes after it.
      guarded ||= name === 'use' && args.some((arg) => /valid/i.test(nameOfGuard(arg)));
    }
    const read = readRoute(code, call);
    if (!read) continue;
    const parameter = firstParameter(read.handler);
    const uses = usesOf(code, read.handler, bodiesIn(code, read.handler, parameter));
    const request = requestGoesTo(code, read.handler, parameter.name);
    const bySchema = schemaForBody(code, read.options);
    const byGuard = read.guards.some((guard) => GUARDS.test(nameOfGuard(guard)));
    const early =
      uses.validatedAt !== undefined && uses.validatedAt <= (uses.picks[0]?.index ?? Number.POSITIVE_INFINITY);
    routes.push({
      method: read.method,
      path: segmentsOf(read.path) ?? [],
      place: code.place(call),
      validated: bySchema === true || byGuard || guarded || request.valid || early,
      unknown: uses.whole || request.unknown || bySchema === 'unknown',
      uses,
    });
  }
  return { routes, mounts };
};
