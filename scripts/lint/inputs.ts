import type { Io } from '../command/command.ts';
import { loadConfig } from '../config/config.ts';
import type { Contract } from '../contract/types.ts';
import { allSources } from '../sources/all.ts';
import { askServers } from '../sources/ask.ts';
import type { Source } from '../sources/source.ts';
import { visible } from '../text/visible.ts';
import type { Versioned } from './types.ts';

/** One list to be linted. */
export interface Input extends Versioned {
  /** The server or gateway; absent for a file. */
  server?: string;
  gateway: boolean;
}

export interface LintInputs {
  inputs: Input[];
  /** What could not be asked, and why; made safe to be shown. */
  unchecked: string[];
  /** What is wrong with the settings. */
  problems: string[];
}

export interface InputOptions {
  home: string;
  project: string;
  spawn: boolean;
  /** Names of servers; if there are none, and no gateways are wanted, all are asked. */
  servers: readonly string[];
  gateways: boolean;
}

/** In ms. A program that is started may have to be downloaded and unpacked first. */
const DEADLINE = { ask: 20_000, spawn: 60_000 };

/** Whether two tools share a name: then the last one would hide what is wrong with the first. */
const twice = (tools: readonly Contract[]): boolean => new Set(tools.map(({ name }) => name)).size < tools.length;

/**
 * A gateway's answer now, word for word. The stored answers that contracts are compared with would not do: they keep the
 * facts next to a contract (`validated`, `evolving`) from the first time, and no version.
 */
const wordForWord = async (source: Source, deadline: number): Promise<Versioned | undefined> => {
  const answer = await source.ask(undefined, deadline);
  return answer.status === 'answered' ? answer.list : undefined;
};

/** Asks gateways and servers what they offer now. */
export const askInputs = async (
  { home, project, spawn, servers, gateways }: InputOptions,
  io: Io,
): Promise<LintInputs> => {
  const config = loadConfig(home, project, io.env);
  const known = allSources(config, project, io.env, { spawn });
  const gatewayOf = ({ name, where }: { name: string; where: string }): Source | undefined =>
    known.gateways.find((source) => source.name === name && source.where === where);
  const all = !gateways && servers.length === 0;
  const names = [...servers, ...(gateways ? Object.keys(config.user.gateways) : [])];
  const timer = setTimeout(() => io.progress('asking the servers …'), 1_000);
  try {
    const deadline = spawn ? DEADLINE.spawn : DEADLINE.ask;
    const around = { home, project, env: io.env, spawn, deadline, ...(all ? {} : { only: names }) };
    const { listed, unchecked } = await askServers(around);
    const answered = new Set([...listed, ...unchecked].map(({ name }) => name));
    return {
      inputs: await Promise.all(
        listed
          .filter(({ tools }) => !twice(tools))
          .map(async (one): Promise<Input> => {
            const { name, tools } = one;
            const gateway = gatewayOf(one);
            if (gateway === undefined) return { server: name, tools, gateway: false };
            return { tools, ...(await wordForWord(gateway, deadline)), server: name, gateway: true };
          }),
      ),
      unchecked: [
        ...unchecked.map(({ name, why, hint }) => `${name} could not be asked: ${why}${hint ? ` (${hint})` : ''}`),
        ...listed.filter(({ tools }) => twice(tools)).map(({ name }) => `${name} offers two tools of one name`),
        ...names.filter((name) => !answered.has(name)).map((name) => `${name} is not configured here`),
      ].map((line) => visible(line, { max: 500 })),
      problems: config.problems,
    };
  } finally {
    clearTimeout(timer);
  }
};
