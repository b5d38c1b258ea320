import { groupBy } from '../../contract/group-by.ts';
import type { DisciplineFacts } from '../types.ts';
import type { EndpointCall, Facts, Route, Shape, SourceRange, Sources } from './types.ts';

const WRITES = new Set(['DELETE', 'PATCH', 'POST', 'PUT']);

/** No real program has more of either, and comparing all with all is quadratic. */
const MOST_TOOLS = 10_000;
const MOST_ROUTES = 2_000;
const MOST_MOUNTS = 200;

/** Names of tools whose POST may only read. A name can prevent a finding, but never cause one. */
const ASKS =
  /^(assemble|check|count|describe|fetch|find|get|graphql|list|lookup|preview|query|read|resolve|search|show|validate)$/i;
const asks = (tool: string): boolean =>
  tool
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .split(/[^A-Za-z]+/)
    .slice(0, 2)
    .some((word) => ASKS.test(word));

const sameSegment = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && (a === b || (a === ':' && b === ':'));

/** Whether a call goes to a route, which may be mounted under one of the known prefixes. */
const reaches = ({ method, path }: EndpointCall, route: Route, mounts: readonly string[][]): boolean => {
  if (!path || (method !== undefined && method !== route.method)) return false;
  // A path that consists only of parameters would match everything.
  if (!route.path.some((segment) => segment !== ':')) return false;
  const before = path.length - route.path.length;
  if (before < 0 || !route.path.every((segment, index) => sameSegment(segment, path[before + index]))) return false;
  const prefix = path.slice(0, before);
  return (
    before === 0 ||
    mounts.some(
      (mount) => mount.length === before && mount.every((segment, index) => sameSegment(segment, prefix[index])),
    )
  );
};

/**
 * Merges the facts of all files.
 * @param known facts that settings or options give, so that the sources need not show them
 */
export const sourcesOf = (files: readonly Facts[], problems: string[], known: DisciplineFacts = {}): Sources => {
  const most = <T>(limit: number, what: string, listIn: (facts: Facts) => T[]): T[] => {
    const list = files.flatMap(listIn);
    if (list.length > limit) problems.push(`more than ${limit} ${what}: the rest was not linted`);
    return list.slice(0, limit);
  };
  const all: Facts = {
    registrations: most(MOST_TOOLS, 'tools', ({ registrations }) => registrations),
    open: files.flatMap(({ open }) => open),
    handlers: most(MOST_TOOLS, 'handlers', ({ handlers }) => handlers),
    routes: most(MOST_ROUTES, 'routes', ({ routes }) => routes),
    mounts: files.flatMap(({ mounts }) => mounts).slice(0, MOST_MOUNTS),
    shapes: files.flatMap(({ shapes }) => shapes),
  };
  const handlers = groupBy(all.handlers, ({ tool }) => tool);
  const writes = (tool: string): EndpointCall[] =>
    (handlers.get(tool) ?? [])
      .flatMap(({ calls }) => calls)
      .filter(({ method }) => method === undefined || WRITES.has(method));
  const tools = new Set(all.registrations.map(({ tool }) => tool));
  const backing = new Set<Route>();
  for (const tool of tools) {
    for (const call of writes(tool)) {
      for (const route of all.routes) if (reaches(call, route, all.mounts)) backing.add(route);
    }
  }
  // A name that stands for different schemas in different files is ignored.
  const shapes = new Map<string, Shape>();
  for (const [name, shape] of all.shapes) {
    shapes.set(name, shapes.has(name) && shapes.get(name) !== shape ? 'unknown' : shape);
  }
  const told = new Set<string>();
  return {
    ...all,
    registrations: all.registrations.map((one) =>
      typeof one.shape === 'object' ? { ...one, shape: shapes.get(one.shape.ref) ?? 'unknown' } : one,
    ),
    sendsChanges: (tool) => {
      const methods = writes(tool).flatMap(({ method }) => method ?? []);
      if (methods.length === 0) return undefined;
      return methods.some((method) => method !== 'POST') || !asks(tool);
    },
    isUrlOnly: (tool) =>
      known.urlOnly?.includes(tool) || (writes(tool).length > 0 && writes(tool).every(({ bodyless }) => bodyless)),
    endpointOf: (tool) => {
      if (known.validated?.includes(tool)) return 'validates';
      const reached = writes(tool).map((call) => all.routes.filter((route) => reaches(call, route, all.mounts)));
      if (reached.flat().some(({ validated, unknown, uses }) => !validated && !unknown && uses.picks.length > 0))
        return 'does not';
      const sure =
        reached.length > 0 && reached.every((routes) => routes.length > 0 && routes.every((one) => one.validated));
      return sure ? 'validates' : 'unknown';
    },
    isBacking: (route) => backing.has(route),
    untold: ({ file, line }: SourceRange, message) => {
      if (told.has(file)) return;
      told.add(file);
      problems.push(`${file}:${line}: ${message}`);
    },
  };
};
