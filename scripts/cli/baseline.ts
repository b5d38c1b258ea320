import { writeBaseline } from '../baseline/baseline.ts';
import { readBaseline, type SessionBaseline, type SourceBaseline } from '../baseline/sessions.ts';
import { type Command, CommandError } from '../command/command.ts';
import { SESSION_OPTION, whereabouts } from '../command/session.ts';
import { sameJson } from '../contract/same.ts';
import type { Json } from '../contract/types.ts';
import { needsAPerson, needTypedCode, noPersonHere } from '../lock/need-person.ts';
import { terminalOf } from '../lock/question.ts';
import { baselineFor, folderOf, idForFolder } from '../session/probe.ts';
import { startSession } from '../session/start.ts';
import { plural } from '../text/plural.ts';
import { plainName } from '../text/quote.ts';
import { sourceText } from './probe.ts';

const REPLACE = 'replace what a session started with';

/** A baseline with the sources that it lacks added from another one. */
const completed = (known: SessionBaseline, now: SessionBaseline): SessionBaseline => ({
  ...known,
  sources: { ...now.sources, ...known.sources },
  failed: Object.fromEntries(Object.entries(now.failed).filter(([key]) => !Object.hasOwn(known.sources, key))),
  ...(known.programs || now.programs ? { programs: { ...now.programs, ...known.programs } } : {}),
});

const differs = (known: SessionBaseline, now: SessionBaseline): boolean =>
  Object.entries(known.sources).some(([key, { tools }]) => {
    const answered = now.sources[key]?.tools;
    return answered !== undefined && !sameJson(tools as unknown as Json, answered as unknown as Json);
  });

const answeredText = ({ tools, schema_version, recorded_at, late }: SourceBaseline): string => {
  const version = schema_version === undefined ? '' : `, version ${plainName(schema_version)}`;
  return `${plural(tools.length, 'tool')}${version}, ${recorded_at}${late ? ', after the conversation had begun' : ''}`;
};

export const baseline: Command = {
  name: 'baseline',
  usage: '[--session ID] [--record]',
  options: { ...SESSION_OPTION, record: { type: 'boolean' } },
  help: `
Shows when a session's baseline was recorded, from which sources, and how many tools it holds. Without --session it is
that of the newest session of this folder.

--record asks every source now and makes that the baseline. Do so after the model was shown the new contracts (a
/clear after a reconnect), not instead: it does not change what the model believes. Only a person at a terminal
replaces what is recorded; without one, sources that have no baseline yet are added, and the others stay.`,
  run: async (args, io) => {
    const { home, project: here, session } = whereabouts(args, io);
    if (args.values.record) {
      const id = session ?? baselineFor(home, here, undefined)?.session_id ?? idForFolder(here);
      const known = readBaseline(home, id);
      const project = folderOf(known, here);
      const client = known?.client ?? 0;
      const start = { home, project, env: io.env, session: id, source: 'startup', cwd: io.cwd, client, again: true };
      const holds = Object.keys(known?.sources ?? {}).length > 0;
      // The baseline decides what the guard stops and asks about, so only a person may replace it.
      const noPerson = holds ? noPersonHere(io) : undefined;
      if (holds && noPerson === undefined) await needTypedCode(REPLACE, terminalOf(io, false));
      const { baseline: now } = await startSession(start, 20_000, 20_000);
      writeBaseline(home, known !== undefined && noPerson !== undefined ? completed(known, now) : now);
      if (known !== undefined && noPerson !== undefined && differs(known, now)) throw needsAPerson(REPLACE, noPerson);
    }
    const found = baselineFor(home, here, session);
    if (found === undefined) {
      const how = 'start Claude Code with the hooks installed, or run: konnichiwagwan baseline --record';
      throw new CommandError('no-baseline', 'there is no baseline yet', how);
    }
    const answered = Object.values(found.sources).map((source) => `  ${sourceText(source)}: ${answeredText(source)}`);
    const failed = Object.values(found.failed).map((one) => `  ${sourceText(one)}: ${one.status}, ${one.why}`);
    const lines = [...answered, ...failed];
    const title = `session ${found.session_id}, recorded ${found.recorded_at} at its ${found.source}`;
    return { exit: 0, data: found, text: [title, ...(lines.length > 0 ? lines : ['  no sources'])].join('\n') };
  },
};
