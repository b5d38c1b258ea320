// Full tier: long sessions of a process.
// Random histories of two conversations with three servers, judged by one resident guard: no stale call passes silently, and
// no right one is stopped, in any conversation and on any server.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../scripts/contract/types.ts';
import type { Activity } from '../scripts/state/activity.ts';
import { HttpServer } from './e2e/http-server.ts';
import { seedOf } from './random-runs.ts';
import { residentProcess } from './resident-client.ts';
import { sandbox, slownessOf } from './sandbox.ts';
import { type Args, allowed, contractOf, FORMS, type Form, type Outcome } from './wrap-model.ts';
import { randomOf } from './wrap-url-histories.ts';

/** Each has about sixty calls, with two seconds of waiting. */
const HISTORIES = Math.ceil(Number(process.env.KONNICHIWAGWAN_HISTORIES ?? 12_500) / 2_500);
const EVENTS = 60;
/**
 * After this long an announcement has been heard, in ms, or up to four times as long on a busy machine. Before that, the old
 * state may still count for a call.
 */
const HEARD = 250;

const TOOLS = ['note', 'send'] as const;
const ARGUMENTS: readonly Args[] = [
  { text: 'a' },
  { body: 'a' },
  { text: 'a', more: 'b' },
  { text: 5 },
  { body: 'a', text: 'b' },
  {},
];
const SERVERS = {
  told: { era: 'session', announces: true },
  silent: { era: 'session', announces: false },
  modern: { era: 'modern', announces: true },
} as const;
type Name = keyof typeof SERVERS;

/** The index of the form of each tool; null: the tool does not exist. */
type Forms = Record<(typeof TOOLS)[number], number | null>;

const contracts = (forms: Forms) =>
  TOOLS.flatMap((name) => {
    const form = forms[name];
    return form === null ? [] : [contractOf(name, FORMS[form] as Form) as never];
  });

/** Waits for all of them, even if one fails. */
const allOf = async (work: Promise<void>[]): Promise<void> => {
  for (const done of await Promise.allSettled(work)) if (done.status === 'rejected') throw done.reason;
};

const play = async (t: TestContext, seed: number): Promise<Record<Outcome, number>> => {
  const random = randomOf(seed);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const names = Object.keys(SERVERS) as Name[];
  const first: Forms = { note: 0, send: 0 };
  const live = Object.fromEntries(names.map((name) => [name, { forms: first, before: first, heardBy: 0 }])) as Record<
    Name,
    { forms: Forms; before: Forms; heardBy: number }
  >;
  const box = await sandbox(t, []);
  const { GATEWAY_URL: _none, ...env } = box.env;
  box.env.GATEWAY_URL = undefined;
  const servers = Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, await HttpServer.start({ ...SERVERS[name], tools: contracts(first) })] as const),
    ),
  ) as Record<Name, HttpServer>;
  const mcpServers = Object.fromEntries(names.map((name) => [name, servers[name].entry]));
  writeFileSync(join(box.home, '.claude.json'), JSON.stringify({ mcpServers }));

  /** What each conversation was shown when it began. */
  const shown: Record<string, Record<Name, Forms>> = {};
  const begin = async (session: string): Promise<void> => {
    await box.start({ session_id: session });
    shown[session] = Object.fromEntries(names.map((name) => [name, live[name].forms])) as Record<Name, Forms>;
  };
  await begin('one');
  const guard = await residentProcess(t, env);
  // Closed after the guard: they would wait for its streams.
  const close = async (): Promise<void> => {
    await guard.end();
    await Promise.all(Object.values(servers).map((server) => server.close()));
  };
  const input = (session: string, server: string, tool: string, args: Args, id: string): JsonObject =>
    box.input(tool, args, {
      session_id: session,
      transcript_path: '',
      tool_use_id: id,
      tool_name: `mcp__${server}__${tool}`,
      mcp_server: { name: server },
    });

  const slowness = slownessOf();
  let calls = 0;
  const counts: Record<Outcome, number> = { silent: 0, told: 0, stopped: 0 };
  /** Stops, by conversation, tool and form: a repeated call may pass. */
  const told = new Set<string>();
  /** By conversation and tool: the forms of which one was named last. Messages about calls sent earlier name forms, too. */
  const named = new Map<string, Set<number | undefined>>();
  const formsNamed = (session: string, server: Name, tool: (typeof TOOLS)[number]): Set<number | undefined> => {
    const key = JSON.stringify([session, server, tool]);
    const all = named.get(key) ?? new Set([undefined]);
    named.set(key, all);
    return all;
  };
  const mayName = (session: string, answer: unknown): void => {
    if (!JSON.stringify(answer ?? {}).includes('all it like this')) return;
    for (const server of names)
      for (const tool of TOOLS)
        for (const { [tool]: form } of [live[server].forms, live[server].before])
          if (form !== null) formsNamed(session, server, tool).add(form);
  };
  /** What the guard's log says last of calls of a tool: that a server does not answer is told once, and logged each time. */
  const logged = (session: string, tool: string): string | undefined =>
    readdirSync(join(box.state, 'activity'))
      .sort()
      .flatMap((file) =>
        readFileSync(join(box.state, 'activity', file), 'utf8')
          .trimEnd()
          .split('\n'),
      )
      .map((line) => JSON.parse(line) as Activity)
      .findLast((one) => one.session === session && one.tool === tool)?.verdict;
  const call = async (
    session: string,
    server: Name,
    name: (typeof TOOLS)[number],
    args: Args,
    isAlone: boolean,
  ): Promise<void> => {
    const { forms, before, heardBy } = live[server];
    const lately = performance.now() < heardBy && SERVERS[server].announces;
    const served = shown[session]?.[server][name] ?? null;
    const request = input(session, server, name, args, `toolu_${++calls}`);
    const answer = await guard.hook(request);
    const decision = answer?.hookSpecificOutput?.permissionDecision;
    const outcome: Outcome =
      decision !== undefined
        ? 'stopped'
        : /unchecked|not (?:be )?checked/.test(answer?.systemMessage ?? '')
          ? 'told'
          : 'silent';
    counts[outcome]++;
    mayName(session, answer);
    const mayKnow = formsNamed(session, server, name);
    const may = (now: Forms): readonly Outcome[] =>
      [...mayKnow].flatMap((named) =>
        allowed({
          mode: 'guard',
          isLocked: false,
          served: new Set(served === null ? [] : [served]),
          live: now[name],
          args,
          isUnread: false,
          wasTold: told.has(JSON.stringify([session, server, name, now[name]])),
          named,
        }),
      );
    // A busy machine may have no time for an answer or a comparison. That is said, whether the call is right or not.
    const isLate = outcome === 'told' && /in time|no answer within|took longer than/.test(answer?.systemMessage ?? '');
    // A tool that the conversation has not seen: there may be a notice or not, but nothing is known to be stale.
    const fine =
      served === null ||
      isLate ||
      [forms, ...(lately ? [before] : [])].some((now) => may(now).includes(outcome)) ||
      (outcome === 'silent' && logged(session, String(request.tool_name)) === 'unchecked');
    assert.ok(
      fine,
      `seed ${seed}, call ${calls}: ${server} ${name} ${JSON.stringify(args)}, shown ${served}, live ${forms[name]}: ${outcome} ${JSON.stringify(answer)}`,
    );
    if (outcome === 'stopped') {
      told.add(JSON.stringify([session, server, name, forms[name]]));
      const isNamed =
        answer?.hookSpecificOutput?.permissionDecisionReason?.includes('Call it like this now: ') ?? false;
      if (isNamed && isAlone && !lately && forms[name] !== null) {
        mayKnow.clear();
        mayKnow.add(forms[name]);
      }
    } else if (random() < 0.9) mayName(session, await guard.hook({ ...request, hook_event_name: 'PostToolUse' }));
  };

  const change = async (name: Name): Promise<void> => {
    const forms = { ...live[name].forms, [pick(TOOLS)]: random() < 0.1 ? null : Math.floor(random() * FORMS.length) };
    const heard = HEARD * Math.min(4, slowness());
    live[name] = { forms, before: live[name].forms, heardBy: performance.now() + heard };
    if (SERVERS[name].announces) servers[name].announce(contracts(forms));
    else servers[name].set(contracts(forms));
    if (SERVERS[name].announces && random() < 0.6) await sleep(heard);
  };

  const happen = async (event: number): Promise<void> => {
    if (event === 20) await begin('two');
    const sessions = Object.keys(shown);
    const chance = random();
    if (chance < 0.12) await change(pick(names));
    else if (chance < 0.2) {
      const prompt = { hook_event_name: 'UserPromptSubmit', tool_name: '', tool_use_id: '' };
      await guard.hook({ ...input(pick(sessions), 'told', '', {}, ''), ...prompt });
    } else {
      // Some at the same time.
      const many = random() < 0.2 ? 4 : 1;
      await allOf(
        Array.from({ length: many }, () => call(pick(sessions), pick(names), pick(TOOLS), pick(ARGUMENTS), many === 1)),
      );
    }
  };
  try {
    for (let event = 0; event < EVENTS; event++) await happen(event);
  } finally {
    await close();
  }
  return counts;
};

it(`${HISTORIES} histories of conversations beside each other`, async (t) => {
  const seed = seedOf();
  const all: Record<Outcome, number> = { silent: 0, told: 0, stopped: 0 };
  for (let at = 0; at < HISTORIES; at++)
    for (const [outcome, count] of Object.entries(await play(t, seed + at))) all[outcome as Outcome] += count;
  t.diagnostic(`seed ${seed}: ${JSON.stringify(all)}`);
  assert.ok(all.silent > all.told && all.stopped > 0, JSON.stringify(all));
});
