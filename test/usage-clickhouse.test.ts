// Full tier: downloads ClickHouse's engine from npm, half a gigabyte.
// The queries of docs/company-usage, run by ClickHouse over events that were sent: in the table that OpenTelemetry's
// exporter makes, each event twice.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { remove } from '../scripts/state/in-use.ts';
import { activityPath } from '../scripts/state/paths.ts';
import { sendEvents } from '../scripts/telemetry/send.ts';
import { startCollector } from './collector.ts';
import { runProgram } from './sandbox.ts';

const ENGINE = 'chdb@3.4.0';
const NPM_MS = 240_000;
const LEAST_DISK = 4 * 1024 ** 3;
const HOUR = 3_600_000;
const MACHINES = 3;

const root = mkdtempSync(join(tmpdir(), 'konnichiwagwan-clickhouse-'));
after(() => remove(root));
writeFileSync(join(root, 'package.json'), '{"private":true}');
const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=2', '--loglevel=error'];
const { bavail, bsize } = statfsSync(root);
/** Why it cannot run here; false if it can. Other tests need the disk, too. */
const install = async (): Promise<string | false> => {
  if (bavail * bsize < LEAST_DISK) return "the disk has no room for ClickHouse's engine";
  const args = ['install', ...flags, `--cache=${join(root, 'cache')}`, ENGINE];
  const { code } = await runProgram('npm', args, { cwd: root, env: process.env, timeout: NPM_MS });
  return code === 0 ? false : "ClickHouse's engine cannot be installed here";
};
const skip = await install();

/** The columns of the exporter's table that the queries read, beside some that they do not. */
const TABLE = `CREATE TABLE otel_logs (Timestamp DateTime64(9), ServiceName LowCardinality(String), Body String,
  ResourceAttributes Map(LowCardinality(String), String), LogAttributes Map(LowCardinality(String), String),
  EventName String) ENGINE = MergeTree ORDER BY Timestamp`;

/** Runs statements one after another, and prints what each of them found as lines of JSON. */
const PROGRAM = `
  const { Session } = require('chdb');
  const session = new Session();
  const found = JSON.parse(require('node:fs').readFileSync(0, 'utf8')).map((sql) =>
    String(session.query(sql, 'JSONEachRow')).split('\\n').filter((line) => line !== '').map((line) => JSON.parse(line)));
  session.close();
  console.log(JSON.stringify(found));
`;

type Row = Record<string, string | number>;
const run = async (statements: readonly string[]): Promise<Row[][]> => {
  const ran = await runProgram(process.execPath, ['-e', PROGRAM], { cwd: root, input: JSON.stringify(statements) });
  assert.equal(ran.code, 0, ran.stderr);
  return JSON.parse(ran.stdout);
};

/** Sends what machines did: calls of a tool and of its raw twin, each in an hour that is over. */
const sent = async () => {
  const collector = await startCollector();
  try {
    const at = Math.floor((Date.now() - 30 * HOUR) / HOUR) * HOUR;
    for (let machine = 0; machine < MACHINES; machine++) {
      const home = join(root, `machine-${machine}`);
      const path = activityPath(home, new Date(at).toISOString().slice(0, 10));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(join(home, 'config.json'), JSON.stringify({ telemetry: { endpoint: collector.url } }));
      const line = (tool: string, verdict: string, nth: number): string =>
        `${JSON.stringify({ at: new Date(at + nth).toISOString(), session: 's', server: 'files', tool: `mcp__files__${tool}`, verdict })}\n`;
      const lines = [
        ...Array.from({ length: 40 }, (_, nth) => line('read', 'silence', nth)),
        ...Array.from({ length: 7 * machine }, (_, nth) => line('read_raw', 'silence', nth)),
        line('read', 'deny', 50),
      ];
      writeFileSync(path, lines.join(''));
      await sendEvents(home, root, { HOME: home });
    }
    return collector.records();
  } finally {
    collector.close();
  }
};

describe('usage in ClickHouse', { skip }, () => {
  it('each query of the page answers as the machines called', async () => {
    const records = await sent();
    assert.ok(records.length >= MACHINES * 2);
    const rows = records.map(({ timeUnixNano, eventName, attributes, resource }) => ({
      ...{ Timestamp: timeUnixNano, EventName: eventName, ServiceName: 'konnichiwagwan', Body: '' },
      // The exporter writes each value as a text.
      LogAttributes: Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, String(value)])),
      ResourceAttributes: resource,
    }));
    // Anybody's logs are in the same table.
    const foreign = { ...rows[0], LogAttributes: { 'gen_ai.tool.name': 'mcp__files__read' } };
    const twice = [...rows, foreign, ...rows].map((row) => JSON.stringify(row)).join('\n');
    const page = readFileSync('docs/company-usage/clickhouse.sql', 'utf8').split(/;\s*\n/);
    const queries = page.filter((text) => text.trim() !== '');
    const [, , view, tools, days, twins, machines] = await run([
      TABLE,
      `INSERT INTO otel_logs FORMAT JSONEachRow ${twice}`,
      ...queries,
    ]);
    assert.deepEqual(view, []);
    const counts = (found: Row[] | undefined, ...names: string[]) =>
      found?.map((row) => names.map((name) => (name === 'total' ? Number(row[name]) : row[name])));
    assert.deepEqual(counts(tools, 'server', 'tool', 'total', 'machines'), [
      ['files', 'mcp__files__read', 123, 3],
      ['files', 'mcp__files__read_raw', 21, 2],
    ]);
    const perVerdict = new Map<unknown, number>();
    for (const { verdict, total } of days ?? [])
      perVerdict.set(verdict, (perVerdict.get(verdict) ?? 0) + Number(total));
    assert.deepEqual(Object.fromEntries(perVerdict), { silence: 141, deny: 3 });
    assert.deepEqual(
      twins?.map(({ legacy, legacy_calls, twin_calls }) => [legacy, Number(legacy_calls), Number(twin_calls)]),
      [['mcp__files__read', 123, 21]],
    );
    assert.deepEqual(machines?.map(({ total }) => Number(total)).sort(), [41, 48, 55]);
  });
});
