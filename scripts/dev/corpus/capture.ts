import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../../contract/canonical.ts';
import { defined } from '../../contract/defined.ts';
import { sameJson } from '../../contract/same.ts';
import type { Json, JsonObject } from '../../contract/types.ts';
import { within } from '../../sources/deadline.ts';
import { listOverMcp, type OfferedLists } from '../../sources/mcp/list-over-mcp.ts';
import type { Installed } from './install.ts';
import { endAll, processesLeft } from './left.ts';
import type { Package } from './packages.ts';
import { askPlainly, type PlainAnswer } from './plain-asker.ts';
import { reachOf } from './start.ts';

/** In ms. Programs start in a second or two; the first start of a large one on a busy machine takes longer. */
const DEADLINE = 30_000;

export interface Captured {
  installed: Installed;
  offered: OfferedLists;
  plain: PlainAnswer;
  ms: number;
  /** Oddities of the server that a developer should know about, although it answered. */
  notes: string[];
}

/** Asks an installed server for everything, with our code and with `askPlainly`. @throws if the answers differ */
export const capture = async (installed: Installed, one: Package): Promise<Captured> => {
  const reach = reachOf(installed, one);
  const start = Date.now();
  const offered = await within(DEADLINE, (deadline) => listOverMcp(reach, ['tools', 'prompts', 'resources'], deadline));
  const ms = Date.now() - start;
  const left = await processesLeft(installed.folder);
  endAll(left);
  if (offered.status !== 'listed') throw new Error(`${offered.status}: ${offered.why} (${ms} ms)`);
  if (left.length > 0) throw new Error(`${left.length} processes were left behind (${ms} ms)`);
  for (const why of Object.values(offered.unread)) throw new Error(why);
  const plain = await askPlainly(reach, DEADLINE);
  if (!sameJson((offered.lists.tools ?? []) as Json, plain.tools)) {
    throw new Error('it is asked for its tools line by line, and they are others');
  }
  const notes = [
    ...(plain.stray > 0 ? [`${plain.stray} lines on its output are no messages`] : []),
    ...(plain.ended === undefined ? ['does not end with its input'] : []),
    ...(offered.signals.length > 0 ? [`said that ${offered.signals.join(', ')} changed`] : []),
  ];
  return { installed, offered, plain, ms, notes };
};

/** One version's answers, in the form of the captures that tests read. */
const toFile = ({ installed, offered, plain }: Captured): JsonObject => {
  const { name, version, license, bin, resolved } = installed;
  const tools = (offered.lists.tools ?? []) as Json[];
  const { prompts, resources, resourceTemplates } = offered.lists;
  const text = JSON.stringify(tools);
  return {
    package: name,
    version,
    ...defined({ license }),
    serverInfo: plain.begun.serverInfo ?? null,
    protocolVersion: offered.protocol,
    capabilities: plain.begun.capabilities ?? {},
    tools,
    ...defined({ prompts, resources, resourceTemplates }),
    capturedWith: process.version,
    extra: {
      dependencies: 'a fresh install of today: newest versions in the declared ranges',
      ...defined({ instructions: plain.begun.instructions }),
      toolsPages: plain.pages,
      notificationsBeforeEnd: offered.signals,
      bin,
      resolvedDeps: resolved,
      toolsSha256: sha256(text),
      toolsBytes: Buffer.byteLength(text),
    },
  };
};

/** Writes a capture below a folder; returns its path. */
export const writeCapture = (root: string, captured: Captured): string => {
  const { name, version } = captured.installed;
  const path = join(root, 'captures', name.replaceAll('/', '__'), `${version}.json`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(toFile(captured), null, 1)}\n`);
  return path;
};
