import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Io } from '../../command/command.ts';
import { present } from '../../contract/defined.ts';
import { parsedJson } from '../../contract/parsed-json.ts';
import { isObject, type Json, type JsonObject, own } from '../../contract/types.ts';
import {
  type Answered,
  preToolUse,
  readAnswered,
  runHookProgram,
  sandbox,
  sessionStart,
  untilRecorded,
} from '../../demo/hooks.ts';
import { startGateway } from '../../demo/loopback.ts';
import { AFTER, AFTER_VERSION, BEFORE, BEFORE_VERSION } from '../../demo/release.ts';
import { remove } from '../../state/in-use.ts';
import { type Check, note, ok, wrong } from './check.ts';
import type { FormHook, HookForm } from './forms.ts';

const PATIENCE = 10_000;

/** The arguments as the client fills them in: all strings, empty if a value is missing. */
const asFields = ({ tool_input, mcp_server, ...input }: JsonObject): JsonObject => ({
  agent_id: '',
  ...input,
  tool_input: JSON.stringify(tool_input),
  mcp_server: own(mcp_server, 'name') ?? '',
  mcp_source: own(mcp_server, 'source') ?? '',
});

/** A process ID that no process has: no client starts these programs, so there is none whose arguments could be read. */
const NO_PROCESS = '2147483647';

/** Asks a resident guard as the client does: starts it, calls the hook's tool, and ends it. */
const askResident = ({ command, args }: FormHook, input: JsonObject, env: NodeJS.ProcessEnv): Promise<Answered> =>
  new Promise((resolve) => {
    const child = spawn(command, args, {
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: PATIENCE,
      windowsHide: true,
    });
    const send = (message: object): void => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    };
    const end = (answered: Answered): void => {
      resolve(answered);
      child.stdin.end();
      child.kill();
    };
    child.stdin.on('error', () => {});
    child.on('error', () => end({ exit: null, garbled: false }));
    // Whatever its exit code: it did not answer.
    child.on('close', () => end({ exit: null, garbled: false }));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = parsedJson(line);
      if (own(message, 'id') === 1) {
        send({ method: 'notifications/initialized' });
        send({ id: 2, method: 'tools/call', params: { name: 'check', arguments: asFields(input) } });
      } else if (own(message, 'id') === 2) {
        const content = own(own(message, 'result'), 'content');
        const text = Array.isArray(content) && isObject(content[0]) ? String(content[0].text) : 'none';
        end({ ...readAnswered(text), exit: 0 });
      }
    });
    const clientInfo = { name: 'doctor', version: '1' };
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } });
  });

const ask = (hook: FormHook, input: JsonObject, env: NodeJS.ProcessEnv): Promise<Answered> =>
  hook.script === 'resident'
    ? askResident(hook, input, env)
    : // A shell command line has no separate arguments.
      hook.args.length === 0
      ? runHookProgram('/bin/sh', ['-c', hook.command], input, env)
      : runHookProgram(hook.command, hook.args, input, env);

interface Tried {
  form: HookForm;
  fresh: Answered;
  stale: Answered;
}

const isSilent = ({ exit, garbled, message, decision }: Answered): boolean =>
  exit === 0 && !garbled && message === undefined && decision === undefined;

/** Gives the guard of every form one call of an unchanged tool, and one of a changed tool. */
const tryAll = async (io: Io, forms: readonly HookForm[]): Promise<Tried[]> => {
  const home = mkdtempSync(join(tmpdir(), 'konnichiwagwan-doctor-'));
  const gateway = await startGateway(BEFORE_VERSION, BEFORE);
  try {
    const worlds = forms.map((form, at) => {
      const own = join(home, String(at));
      const state = join(own, 'state');
      mkdirSync(state, { recursive: true, mode: 0o700 });
      // Otherwise the answer to the first call would count as live for two seconds, and the second call would have to wait.
      writeFileSync(join(state, 'config.json'), JSON.stringify({ freshFor: 0 }), { mode: 0o600 });
      return { form, own, env: { ...sandbox(io.env, own, gateway.url), CLAUDE_PID: NO_PROCESS } };
    });
    const guard = ({ form, own, env }: (typeof worlds)[number], tool: string, args: Record<string, Json>) => {
      const hook = form.hooks.find(({ script }) => script === 'resident' || script === 'guard');
      const input = preToolUse('doctor', own, tool, args);
      return hook === undefined || hook.command === '' ? { exit: null, garbled: false } : ask(hook, input, env);
    };
    const fresh: Answered[] = [];
    for (const world of worlds) {
      const start = world.form.hooks.find(({ event }) => event === 'SessionStart');
      const begun = start && (await ask(start, sessionStart('doctor', world.own), world.env));
      if (begun?.exit === 0) await untilRecorded('doctor', world.own);
      fresh.push(await guard(world, 'get_profile', { user_id: 'u_42' }));
    }
    gateway.set(AFTER_VERSION, AFTER);
    const tried: Tried[] = [];
    for (const [at, world] of worlds.entries()) {
      const stale = await guard(world, 'create_export', { dataset: 'ds_7' });
      tried.push({ form: world.form, fresh: fresh[at] as Answered, stale });
    }
    return tried;
  } finally {
    gateway.close();
    remove(home);
  }
};

const fails = ({ exit }: Answered, what: string): string =>
  exit === null ? `${what}: the guard does not answer` : `${what} (exit ${exit})`;

const how = ({ hooks }: HookForm): string =>
  hooks.some(({ script }) => script === 'resident') ? 'the resident guard' : 'a process for each call, with the hooks';

/** Runs the registered guard of every form on a stale and a fresh call, and says which of them judges. */
export const checkGuard = async (io: Io, all: readonly HookForm[]): Promise<Check[]> => {
  const forms = all.filter(({ untrusted }) => !untrusted);
  const untried = "was not tried: it is the repository's, and Claude Code does not trust this folder yet";
  const toTry = 'start Claude Code here and trust the folder, then run this again';
  const skipped = all
    .filter(({ untrusted }) => untrusted)
    .map(({ name, place }) => note('guard', `${name} (${place}) ${untried}`, toTry));
  const tried = await tryAll(io, forms);
  const title = (name: string, { name: form }: HookForm): string => (forms.length > 1 ? `${name}, ${form}` : name);
  const checks = tried.flatMap(({ form, fresh, stale }): Check[] => {
    const hint = `${form.repair} (the guard in question is that of ${form.place})`;
    const [freshCall, staleCall] = [title('guard, fresh call', form), title('guard, stale call', form)];
    return [
      isSilent(fresh)
        ? ok(freshCall, 'passes in silence')
        : wrong(freshCall, fresh.message ?? fails(fresh, 'does not pass in silence'), hint),
      stale.decision === 'deny' && isSilent(fresh)
        ? ok(staleCall, 'is stopped')
        : wrong(staleCall, stale.message ?? fails(stale, 'is not stopped'), hint),
    ];
  });
  const judges = tried.filter(({ fresh, stale }) => isSilent(fresh) && stale.decision === 'deny');
  const named = judges.map(({ form }) => `${how(form)} of ${form.name} (${form.place})`).join(', and ');
  const judge = 'calls are judged by';
  const removals = judges.map(({ form }) => form.remove).join(', or ');
  return present([
    ...checks,
    ...skipped,
    judges.length === 1 && ok(judge, named),
    judges.length > 1 && note(judge, `${named}: installed twice`, `keep one of them: ${removals}`),
  ]);
};
