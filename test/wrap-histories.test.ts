// Random histories of messages through wrap: no wrong or unapproved call passes silently, no right one is stopped, and each
// request is answered once, under its original ID.
import assert from 'node:assert/strict';
import fs, { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, describe, it } from 'node:test';
import { isMainThread } from 'node:worker_threads';
import fc from 'fast-check';
import { loadConfig } from '../scripts/config/config.ts';
import type { Contract } from '../scripts/contract/types.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { Redactor } from '../scripts/servers/secrets.ts';
import { remove } from '../scripts/state/in-use.ts';
import { BehindInvoker } from '../scripts/wrap/behind-invoker.ts';
import { approveServed, type JudgeSettings, judgeServed } from '../scripts/wrap/judge-served.ts';
import { readPins } from '../scripts/wrap/pins.ts';
import { relay } from '../scripts/wrap/relay.ts';
import { saysItLists } from '../scripts/wrap/typed/says-it-lists.ts';
import { inThread, LONGEST_PLAY, played } from './in-thread.ts';
import { lockOf } from './lock-bench.ts';
import { seedOf } from './random-runs.ts';
import { type Connect, type History, history, playHistory } from './wrap-histories.ts';
import { contractOf, FORMS, type Form } from './wrap-model.ts';

const HISTORIES = Number(process.env.KONNICHIWAGWAN_HISTORIES ?? 2_000);
const root = mkdtempSync(join(tmpdir(), 'konnichiwagwan-histories-'));

const LOCK = join(root, 'mcp-contracts.lock.json');
const pinned = ['note', 'send'].map((name) => contractOf(name, FORMS[0] as Form) as Contract);
writeFileSync(LOCK, renderLock(lockOf({ s: pinned })));
const homes = { guard: join(root, 'guard'), strict: join(root, 'strict') };
for (const [mode, home] of Object.entries(homes)) {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'config.json'), JSON.stringify({ mode }));
}

/** By mode: the settings, and what a connection remembers of files. None of these changes, so all are read once. */
const READ = Object.fromEntries(
  Object.entries(homes).map(([mode, home]) => {
    const env = { KONNICHIWAGWAN_HOME: home, HOME: root };
    const [config, pins] = [loadConfig(home, root, env), readPins(LOCK, home, root)];
    return [mode, { env, read: { config: () => config, pins: { path: LOCK, read: () => pins } } }];
  }),
);

/** Counts everything as already reported: no one reads standard error here. */
class Said extends Set<string> {
  override has(): boolean {
    return true;
  }
}

/** Both sides and wrap in one process, with the same judging code as the built program. */
const inProcess: Connect = ({ mode, isLocked }, server) => {
  const [toWrap, fromWrap, toServer, fromServer] = Array.from({ length: 4 }, () => new PassThrough()) as [
    PassThrough,
    PassThrough,
    PassThrough,
    PassThrough,
  ];
  const { env, read } = READ[mode] as (typeof READ)[string];
  const judging: JudgeSettings = {
    name: 's',
    trusted: false,
    env,
    project: root,
    memory: { told: new Map(), said: new Said(), ...read },
    secrets: new Redactor([]),
  };
  const lines: string[] = [];
  const split = (stream: PassThrough, hear: (line: string) => void): void => {
    let rest = '';
    stream.on('data', (part: Buffer) => {
      const parts = (rest + part.toString('utf8')).split('\n');
      rest = parts.pop() ?? '';
      for (const one of parts) hear(one);
    });
  };
  split(fromWrap, (line) => lines.push(line));
  split(toServer, (line) => server.hear(line));
  server.say = (line) => void fromServer.write(`${line}\n`);
  const behind = new BehindInvoker(judging);
  relay({
    host: { output: toWrap, input: fromWrap },
    server: { output: fromServer, input: toServer },
    judge: async (call) => judgeServed(call, judging),
    behind: {
      listens: saysItLists,
      heard: (call, result) => behind.heard(call, result),
      judge: (call, own, meta) => behind.judge(call, own, meta),
    },
    patience: { usual: 3, short: 1, longest: 3 },
    soonest: 0,
    ...(isLocked ? { approve: async (call) => approveServed(call, LOCK, judging) } : {}),
  });
  return {
    send: (bytes) => void toWrap.write(bytes),
    lines,
    end: async () => {
      for (const stream of [toWrap, fromServer]) stream.end();
    },
  };
};

/** Histories that are always played: most failed once. */
const plainly = { id: 'number', isIdLast: false, isEscaped: false, isMarked: false } as const;
const call = { args: { text: 'x' }, spelling: plainly, isUnread: false, isCancelled: false };
const KEPT: History[] = [
  // A call that was cancelled before its verdict: it is unknown whether the model got the notice of the change.
  {
    mode: 'guard',
    isLocked: false,
    steps: [
      { do: 'calls', calls: [{ ...call, tool: 'inner', isCancelled: true }], isBatch: false, around: 'nothing' },
      { do: 'switch', tool: 'inner', form: 3, isSaid: false },
      {
        do: 'calls',
        calls: [
          { ...call, tool: 'inner', isUnread: true, isCancelled: true },
          { ...call, tool: 'note', isUnread: true, isCancelled: true },
        ],
        isBatch: false,
        around: 'nothing',
      },
      { do: 'calls', calls: [{ ...call, tool: 'inner' }], isBatch: false, around: 'nothing' },
    ],
  },
  // Two tools changed in the same way: a notice about one is not a notice about the other.
  {
    mode: 'guard',
    isLocked: false,
    steps: [
      { do: 'list' },
      { do: 'switch', tool: 'note', form: 3, isSaid: false },
      { do: 'switch', tool: 'send', form: 3, isSaid: false },
      {
        do: 'calls',
        calls: [
          { ...call, tool: 'send' },
          { ...call, tool: 'note' },
        ],
        isBatch: false,
        around: 'nothing',
      },
    ],
  },
  // Calls that came together, and one that was taken back: the model of none of them had read that words changed.
  ...[false, true].map(
    (isCancelled): History => ({
      mode: 'guard',
      isLocked: false,
      steps: [
        { do: 'list' },
        { do: 'switch', tool: 'note', form: 3, isSaid: false },
        {
          do: 'calls',
          calls: [
            { ...call, tool: 'note', isCancelled },
            { ...call, tool: 'note', args: { text: 'y' } },
          ],
          isBatch: false,
          around: 'nothing',
        },
      ],
    }),
  ),
  // The server goes back to what the host was given, after a stop named another form.
  {
    mode: 'guard',
    isLocked: false,
    steps: [
      { do: 'list' },
      { do: 'switch', tool: 'note', form: 1, isSaid: false },
      { do: 'calls', calls: [{ ...call, tool: 'note' }], isBatch: false, around: 'nothing' },
      { do: 'switch', tool: 'note', form: 0, isSaid: false },
      { do: 'calls', calls: [{ ...call, tool: 'note', args: { body: 'x' } }], isBatch: false, around: 'nothing' },
    ],
  },
];

/** Silences standard error and the log of calls, which are for people. A mock would keep every write. */
const quietly = async (work: () => Promise<void>): Promise<void> => {
  const { appendFileSync, writeSync } = fs;
  fs.appendFileSync = () => {};
  fs.writeSync = ((file: number, text: string) =>
    file === 2 ? text.length : writeSync(file, text)) as typeof writeSync;
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    fs.appendFileSync = appendFileSync;
    fs.writeSync = writeSync;
    syncBuiltinESMExports();
  }
};

const playAll = (): Promise<void> =>
  quietly(async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(history, async (one) => {
        await playHistory(one, inProcess);
        count += 1;
      }),
      { seed: seedOf(), numRuns: HISTORIES, interruptAfterTimeLimit: LONGEST_PLAY, markInterruptAsFailure: false },
    );
    played(count);
  });

if (!isMainThread) await playAll().finally(() => remove(root));
else
  describe('histories of messages through wrap', () => {
    after(() => remove(root));

    it('are as the model allows', async (test) => {
      const count = await inThread(import.meta.url);
      test.diagnostic(`seed ${seedOf()}, ${count} of ${HISTORIES} histories`);
      assert.ok(count > 0);
    });

    for (const [at, one] of KEPT.entries())
      it(`are so in history ${at + 1} of those kept`, () => quietly(() => playHistory(one, inProcess)));
  });
