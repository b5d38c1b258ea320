import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { $, type ProcessPromise } from 'zx';
import { defined } from '../../contract/defined.ts';

const NPM_TIME = '150s';
/** Without these, npm would try for minutes if there is no registry. */
const RETRIES = ['--fetch-retries=2', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=3000'];
/** Packages that make schemas, also as indirect dependencies: with another version, contracts can differ. */
const MAKERS = ['@modelcontextprotocol/sdk', '@modelcontextprotocol/server', 'zod', 'zod-to-json-schema', 'fastmcp'];
/** How many releases the two that are compared are apart, so that something has changed. */
const STEP_BACK = 5;

/** Runs npm without prompts and advertisements. Nothing that it downloads is run here. */
const npm = (cwd: string, ...args: string[]): ProcessPromise =>
  $({
    cwd,
    quiet: true,
    timeout: NPM_TIME,
    timeoutSignal: 'SIGKILL',
    detached: true,
  })`npm ${[...args, ...RETRIES]} --loglevel=error --no-audit --no-fund --no-update-notifier --ignore-scripts`;

/** An installed server. */
export interface Installed {
  name: string;
  version: string;
  /** The folder that has its node_modules. */
  folder: string;
  /** The command that npx would start. */
  bin: string;
  license?: string;
  /** Versions of dependencies, as npm resolved them today, since contracts change with them. */
  resolved: Record<string, string>;
}

interface PackageManifest {
  version: string;
  license?: string;
  bin?: string | Record<string, string>;
  dependencies?: Record<string, string>;
}

const manifestOf = (folder: string, name: string): PackageManifest =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as PackageManifest;

/** The program that npx would choose: the only one, or the one with the package's name. */
const binOf = (name: string, { bin = {} }: PackageManifest): string => {
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
      // Not installed, or only below the package.
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
