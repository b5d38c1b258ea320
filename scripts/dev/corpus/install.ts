import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { $, type ProcessPromise } from 'zx';
import { defined } from '../../contract/defined.ts';

const NPM_TIME = '150s';
/** Where there is no registry, npm would try for minutes. */
const RETRIES = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=3000'];
/** What makes schemas, whether a server names it or not: another version of it, and the contracts are others. */
const MAKERS = ['@modelcontextprotocol/sdk', '@modelcontextprotocol/server', 'zod', 'zod-to-json-schema', 'fastmcp'];
/** So many releases lie between the two that are compared: enough for something to have changed. */
const STEP_BACK = 5;

/** npm without questions and advertisements. Nothing of what it fetches is run at this point. */
const npm = (cwd: string, ...args: string[]): ProcessPromise =>
  $({
    cwd,
    quiet: true,
    timeout: NPM_TIME,
    timeoutSignal: 'SIGKILL',
    detached: true,
  })`npm ${[...args, ...RETRIES]} --loglevel=error --no-audit --no-fund --no-update-notifier --ignore-scripts`;

/** A server as it was installed. */
export interface Installed {
  name: string;
  version: string;
  /** Its node_modules is here. */
  folder: string;
  /** The command that npx would start. */
  bin: string;
  license?: string;
  /** Versions of what it depends on, as npm resolved them today: contracts change with them. */
  resolved: Record<string, string>;
}

interface Manifest {
  version: string;
  license?: string;
  bin?: string | Record<string, string>;
  dependencies?: Record<string, string>;
}

const manifestOf = (folder: string, name: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as Manifest;

/** As npx chooses: the only one, or the one that is called like the package. */
const binOf = (name: string, { bin = {} }: Manifest): string => {
  const own = name.split('/').at(-1) as string;
  const names = typeof bin === 'string' ? [own] : Object.keys(bin);
  const chosen = names.length === 1 ? names[0] : names.find((one) => one === own);
  if (chosen === undefined) throw new Error('it has no command that npx would start');
  return chosen;
};

/** Installs one version of a package into a new folder below `root`. */
export const installServer = async (root: string, name: string, version: string): Promise<Installed> => {
  const folder = join(root, `${name.replaceAll('/', '__')}@${version}`);
  mkdirSync(folder, { recursive: true });
  // Without one, npm looks for a project in the folders above.
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  await npm(folder, 'install', '--no-save', `${name}@${version}`);
  const manifest = manifestOf(folder, name);
  const dependencies = new Set([...Object.keys(manifest.dependencies ?? {}), ...MAKERS]);
  const resolved = [...dependencies].flatMap((dependency) => {
    try {
      return [[dependency, manifestOf(folder, dependency).version]];
    } catch {
      // Not needed at all, or below the package and not beside it.
      return [];
    }
  });
  return {
    name,
    version: manifest.version,
    folder,
    bin: binOf(name, manifest),
    ...defined({ license: manifest.license }),
    resolved: Object.fromEntries(resolved),
  };
};

/** The newest release and an older one, the older one first. */
export const twoVersions = async (root: string, name: string): Promise<string[]> => {
  const { stdout } = await npm(root, 'view', name, 'versions', 'dist-tags', '--json');
  const view = JSON.parse(stdout) as { versions: string[]; 'dist-tags': { latest: string } };
  const released = view.versions.filter((version) => !version.includes('-'));
  const newest = view['dist-tags'].latest;
  const at = released.indexOf(newest);
  const older = at > 0 ? released[Math.max(0, at - STEP_BACK)] : undefined;
  return older === undefined ? [newest] : [older, newest];
};
