import { sha256 } from '../../contract/canonical.ts';
import { spelled } from '../../contract/names.ts';
import type { Launch, Server } from '../../servers/types.ts';
import { plainName } from '../../text/quote.ts';
import type { Source, SourceProblem } from '../source.ts';
import { httpSource, type McpBasis } from './http-source.ts';
import { inTime, library, listsOf } from './load-library.ts';
import { spawned } from './spawned.ts';
import { toAnswer } from './to-answer.ts';

/**
 * The key of a server as a source: its scope and how it is reached, with variables expanded. Hashed, since these may hold
 * secrets.
 */
export const keyOf = ({ name, scope, launch }: Server, project: string): string => {
  const own = scope === 'user' || scope === 'plugin' || scope === 'managed' ? '' : project;
  const { CLAUDE_PROJECT_DIR: _project, ...env } = 'env' in launch ? launch.env : {};
  const reached = launch.type === 'stdio' ? { ...launch, env, cwd: '' } : launch;
  const identity = JSON.stringify(['mcp', name, scope, own, reached]);
  return `${spelled(name).slice(0, 40)}-${sha256(identity).slice(0, 16)}`;
};

/** Tells whether a server of this name is meant: older clients write names differently. */
export const speaksFor =
  (name: string) =>
  (asked: string | undefined): boolean =>
    asked !== undefined && (asked === name || spelled(asked) === spelled(name));

/** A program as a source: a second copy of it is asked. */
const programSource = (basis: McpBasis, launch: Extract<Launch, { type: 'stdio' }>, project: string): Source => ({
  ...basis,
  where: 'a second copy of its program',
  ask: (_known, ms, everything = false) =>
    inTime(ms, async (deadline) => {
      const { reach, tidy } = spawned(launch, project);
      try {
        return toAnswer(
          await (await library()).listOverMcp(reach, listsOf(everything), deadline),
          everything,
          undefined,
        );
      } finally {
        tidy();
      }
    }),
});

/**
 * A configured server as a source, or why it is not one: only a server that the client starts is.
 * @param spawn whether a program may be started in order to ask it
 */
export const mcpSource = (server: Server, project: string, spawn: boolean): Source | SourceProblem => {
  const { name, launch, unset } = server;
  if (server.state !== 'ready') return { name, why: server.why ?? `it is ${server.state}` };
  if (unset.length > 0) return { name, why: `the environment variable ${plainName(unset[0] ?? '')} is not set` };
  const basis: McpBasis = { key: keyOf(server, project), name, covers: speaksFor(name) };
  if (launch.type === 'other') {
    return { name, why: `a server of the kind ${launch.what} answers Claude Code alone`, unaskable: true };
  }
  if (launch.type === 'stdio') {
    if (!spawn)
      return {
        name,
        why: 'a local (stdio) server, not guarded; --spawn starts it for a moment, to ask it',
        unaskable: true,
      };
    return programSource(basis, launch, project);
  }
  return httpSource(basis, launch);
};
