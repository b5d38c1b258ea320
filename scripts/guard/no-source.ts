// Why no source speaks for a tool.
import { spelled } from '../contract/names.ts';
import { programFiles, rebuilt } from '../servers/program.ts';
import type { SourceProblem } from '../sources/source.ts';
import { quoteName } from '../text/quote.ts';
import { say } from '../text/shown.ts';
import { visible } from '../text/visible.ts';
import type { Assessment, Basis, Inquiry } from './assessment.ts';
import type { Hearing } from './hear.ts';

/** Scopes whose servers stand in files that are read. */
const IN_FILES: ReadonlySet<string | undefined> = new Set([
  'enterprise',
  'local',
  'managed',
  'plugin',
  'project',
  'user',
]);

const whyNot = ({ kind, name, why }: SourceProblem): string =>
  say`${kind ?? 'source'} ${quoteName(name)}: ${visible(why, { max: 300 })}`;

/** The verdict on a tool that none of the sources knows. @param heard what they said */
export const withoutSource = (
  basis: Basis,
  heard: readonly Hearing[],
  { input, search, around, started }: Inquiry,
): Assessment => {
  const { all, ways, elsewhere } = search;
  const unchecked = (why: string) => ({ ...basis, verdict: 'unchecked', why }) as const;
  const isIts = ({ name }: { name: string }): boolean => ways.some(({ server }) => spelled(name) === spelled(server));
  const server = all.configured.find(isIts);
  const isOurs = (name: string): boolean => (input.server === undefined ? isIts({ name }) : name === input.server);
  // Our own tool tells what runs now, and changes nothing: there is nothing to check, or to ask a person about.
  if (server === undefined && all.ours.some(isOurs))
    return { ...basis, verdict: 'off', why: "it is konnichiwagwan's own" };
  const failed = heard.find((one) => one.failed !== undefined)?.failed;
  if (failed !== undefined) return { ...unchecked(failed.why), unaskable: failed.unaskable };
  if (heard.some((one) => one.unlisted))
    return {
      ...unchecked('its list of tools does not have this one, as far as konnichiwagwan is shown it'),
      unlisted: true,
    };
  if (elsewhere !== undefined) return unchecked(elsewhere);
  const problem = all.problems.find(isIts);
  if (problem) return unchecked(whyNot(problem));
  if (server && server.state !== 'ready')
    return { ...unchecked(server.why ?? `it is ${server.state}`), unaskable: true };
  // The client keeps its connection, whatever becomes of the entry.
  const wasThere = Object.entries({ ...started?.sources, ...started?.failed }).some(
    ([key, one]) => isIts(one) && ![...all.gateways, ...all.servers].some((source) => source.key === key),
  );
  if (wasThere && !all.servers.some(isIts))
    return unchecked(
      'its entry in the settings is gone, or cannot be read, or is of another kind, since this session started',
    );
  if (server?.launch.type === 'stdio') {
    const files = programFiles(server.launch, around.project, around.env);
    const atStart = started?.programs?.[server.name];
    return {
      ...basis,
      verdict: 'not-covered',
      why: 'its server is a program, which only its own client can ask',
      program: { files, rebuilt: atStart === undefined ? [] : rebuilt(atStart, files) },
    };
  }
  const { scope } = input;
  if (server === undefined && scope === 'agent') {
    const remedy = 'add it to the servers of Claude Code, and let the agent name it';
    return { ...unchecked(`only the definition of an agent has it, which is not read: ${remedy}`), unaskable: true };
  }
  if (basis.consulted.length > 0) return { ...basis, verdict: 'not-covered', why: 'no source lists this tool' };
  // A gateway that cannot be asked may list it.
  const broken = all.problems.find(({ kind }) => kind === 'gateway');
  if (broken) return unchecked(whyNot(broken));
  if (server === undefined && IN_FILES.has(scope))
    return unchecked(say`Claude Code has it from scope ${quoteName(scope ?? '')}, where it is not found`);
  return { ...basis, verdict: 'not-covered', why: 'no source is configured for it' };
};
