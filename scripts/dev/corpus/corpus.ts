// Captures what real servers from npm offer, into a folder that is not committed, and shows what their releases changed.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { toOffers } from '../../contract/offers.ts';
import { readToolList } from '../../contract/read.ts';
import type { Json } from '../../contract/types.ts';
import { diffLists } from '../../diff/diff-lists.ts';
import { countText } from '../../reports/changes.ts';
import { MODERN } from '../../sources/mcp/announce.ts';
import { remove } from '../../state/in-use.ts';
import { visible } from '../../text/visible.ts';
import { type Captured, capture, writeCapture } from './capture.ts';
import { type Installed, installServer, twoVersions } from './install.ts';
import { endAll, processesLeft } from './left.ts';
import { PACKAGES, type Package } from './packages.ts';

const into = resolve('corpus');
const root = mkdtempSync(join(tmpdir(), 'konnichiwagwan-corpus-'));

/** The wanted versions by package, from `NAME@VERSION …`; for a bare name, or without any, two versions that npm names. */
const wantedOf = (args: readonly string[]): Map<string, string[]> => {
  const wanted = new Map<string, string[]>();
  for (const arg of args.length > 0 ? args : PACKAGES.map(({ name }) => name)) {
    const [, name = arg, version] = /^(.[^@]*)(?:@(.+))?$/.exec(arg) ?? [];
    wanted.set(name, [...(wanted.get(name) ?? []), ...(version === undefined ? [] : [version])]);
  }
  return wanted;
};

const reasonOf = (error: unknown): string => {
  // When npm fails, the first line of its output says why; the rest is how to report it.
  const { stderr, message } = error as { stderr?: string; message: string };
  return visible((stderr || message).trim().split('\n').slice(0, 2).join(' '), { max: 160 });
};

const COUNTED = { tools: 'tools', prompts: 'prompts', resources: 'resources', resourceTemplates: 'templates' } as const;

const lineOf = ({ offered, ms, notes }: Captured): string => {
  const counts = Object.entries(COUNTED).flatMap(([kind, word]) => {
    const list = offered.lists[kind as keyof typeof COUNTED];
    return list === undefined ? [] : [`${list.length} ${word}`];
  });
  const era = `${offered.protocol} (${offered.protocol >= MODERN ? 'modern' : 'initialize'})`;
  return [counts.join(', '), era, `${ms} ms`, ...notes].join(' · ');
};

/** Prints what changed, as `konnichiwagwan diff` does, also in prompts and resources. */
const printDiff = (before: Captured, after: Captured): void => {
  const tools = ({ offered }: Captured) => readToolList({ tools: offered.lists.tools ?? [] } as Json).tools;
  const others = ({ offered }: Captured) => toOffers(offered.lists);
  const besides = countText(diffLists(others(before), others(after)));
  console.log(
    `  ${before.installed.version} → ${after.installed.version}: ${countText(diffLists(tools(before), tools(after)))}` +
      (besides === 'no changes' ? '' : `; besides tools: ${besides}`),
  );
};

let failed = 0;

/** Does work for one version; if that fails, prints why and returns undefined. */
const orSay = async <Result>(version: string, work: () => Promise<Result>): Promise<Result | undefined> => {
  try {
    return await work();
  } catch (error) {
    failed++;
    console.log(`  ${version.padEnd(12)} FAILED: ${reasonOf(error)}`);
    return undefined;
  }
};

const captureAll = async (one: Package, wanted: string[]): Promise<void> => {
  console.log(one.name);
  const versions = wanted.length > 0 ? wanted : ((await orSay('', () => twoVersions(root, one.name))) ?? []);
  const installs = await Promise.all(
    versions.map((version) => orSay(version, () => installServer(root, one.name, version))),
  );
  const captured: Captured[] = [];
  // One after the other, because their times are compared.
  for (const installed of installs.filter((one): one is Installed => one !== undefined)) {
    const got = await orSay(installed.version, () => capture(installed, one));
    if (got === undefined) continue;
    writeCapture(into, got);
    console.log(`  ${installed.version.padEnd(12)} ${lineOf(got)}`);
    captured.push(got);
  }
  captured.slice(1).forEach((after, index) => {
    printDiff(captured[index] as Captured, after);
  });
};

try {
  for (const [name, versions] of wantedOf(process.argv.slice(2))) {
    await captureAll(PACKAGES.find((one) => one.name === name) ?? { name }, versions);
  }
  console.log(`\nwritten to ${into}${failed > 0 ? `; ${failed} failed` : ''}`);
} finally {
  endAll(await processesLeft(root));
  remove(root);
}
// Not `exitCode`: a program that is still running could hold one of our pipes, and keep us from ending.
process.exit(failed > 0 ? 2 : 0);
