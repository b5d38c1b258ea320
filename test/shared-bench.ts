// A company that publishes its approvals on loopback, signed by keys that are made for these tests.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256 } from '../scripts/contract/canonical.ts';
import type { Contract } from '../scripts/contract/types.ts';
import { renderLock } from '../scripts/lock/render.ts';
import { makePin, makeRefused } from '../scripts/lock/seal.ts';
import { type Lock, toPins } from '../scripts/lock/types.ts';
import { askingShared } from '../scripts/shared/kept.ts';
import { remove } from '../scripts/state/in-use.ts';
import { keyOf } from './git.ts';

/** Why these tests cannot run here; undefined if they can. */
export const whyNoKeys = spawnSync('ssh-keygen', ['-?']).error ? 'ssh-keygen is not installed' : undefined;

/** Approvals of one server, given at a time in ISO 8601. */
export const approvedAt = (at: string, server: string, tools: Contract[], refused: Record<string, string> = {}): Lock =>
  new Map([
    [
      server,
      toPins(
        new Map(
          tools.map((tool) => [tool.name, makePin(server, tool, { by: 'a@example.org', at, diff: '0'.repeat(64) })]),
        ),
        undefined,
        new Map(
          Object.entries(refused).map(([tool, why]) => [
            tool,
            makeRefused(server, tool, { by: 'security@example.org', at, why }),
          ]),
        ),
      ),
    ],
  ]);

/** What is known of the shared approvals in a state folder; undefined if they were never asked for. */
export const aboutShared = (state: string) => {
  try {
    return JSON.parse(readFileSync(join(state, 'shared', 'approvals'), 'utf8').split('\n')[0] as string);
  } catch {
    return undefined;
  }
};

/** Waits until a background fetch has ended that began after `since`, in ms since 1970. */
export const untilFetched = async (state: string, since = 0) => {
  for (let waited = 0; waited < 15_000; waited += 30) {
    const about = aboutShared(state);
    // As long as it holds its lock, no other fetch begins.
    if (about !== undefined && about.triedAt >= since && !existsSync(askingShared(state))) return about;
    await sleep(30);
  }
  throw new Error('the shared approvals were not fetched in time');
};

/**
 * Lets so much time pass for the shared approvals, in ms, in a state folder.
 * @param tried whether it is also time to fetch them again
 */
export const ageShared = (state: string, ms: number, tried = true): void => {
  const path = join(state, 'shared', 'approvals');
  const content = readFileSync(path);
  const end = content.indexOf(10);
  const about = JSON.parse(content.toString('utf8', 0, end));
  if (tried) about.triedAt -= ms;
  if (about.copy) about.copy.confirmedAt -= ms;
  writeFileSync(path, Buffer.concat([Buffer.from(JSON.stringify(about)), content.subarray(end)]));
};

export const company = async (test: Pick<TestContext, 'after'>) => {
  const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-company-'));
  mkdirSync(folder, { recursive: true });
  const files = new Map<string, string>();
  const requests: { url: string; status: number }[] = [];
  let answer: ((url: string, response: ServerResponse) => boolean) | undefined;
  let delay = 0;
  const server = createServer(async (request, response) => {
    if (delay > 0) await sleep(delay);
    const url = request.url ?? '';
    response.on('finish', () => requests.push({ url, status: response.statusCode }));
    if (answer?.(url, response)) return;
    const text = files.get(url);
    const etag = `"${sha256(text ?? '')}"`;
    if (text === undefined) response.writeHead(404).end();
    else if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(200, { etag }).end(text);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  test.after(() => {
    server.closeAllConnections();
    server.close();
    remove(folder);
  });
  const sign = (text: string, path: string, namespace = 'konnichiwagwan'): string =>
    execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-n', namespace, '-f', path], { input: text, encoding: 'utf8' });
  const own = keyOf('own');
  const allowedSigners = join(folder, 'allowed_signers');
  writeFileSync(allowedSigners, `security@example.org ${own.open}\n`);
  return {
    approvals: { url: `http://127.0.0.1:${port}/lock.json`, allowedSigners },
    allowedSigners,
    own,
    sign,
    requests,
    /** Answers in a special way; false: as usual. */
    on: (given: typeof answer) => {
      answer = given;
    },
    /** Has each answer wait so long, in ms. */
    slow: (ms: number) => {
      delay = ms;
    },
    /** Publishes a text as it is, or a lock. */
    publish: (what: Lock | string, signature?: string | null) => {
      const text = typeof what === 'string' ? what : renderLock(what);
      files.set('/lock.json', text);
      files.delete('/lock.json.sig');
      if (signature !== null) files.set('/lock.json.sig', signature ?? sign(text, own.path));
      return text;
    },
  };
};
