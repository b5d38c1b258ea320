import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { shellWord } from '../text/shell-word.ts';
import type { InstallPlace } from './layout.ts';
import { menuPath } from './menu-path.ts';

/** How the hooks and commands of an installation start Node. */
export interface OwnNode {
  /** In settings and launchers. */
  command: string;
  /** In the files of the installation's folder. */
  inFolder: string;
  /** The text of the script in that folder that starts it, if there is one. */
  script?: string;
}

/** That script. */
const SCRIPT = 'scripts/node.sh';
const ON_PATH: OwnNode = { command: 'node', inFolder: 'node' };

/** Falls back to the PATH: one day a version manager may remove the Node that installed this. */
const textFor = (node: string): string => `#!/bin/sh
# Starts Node for konnichiwagwan, also where the PATH does not lead to it.
node=${shellWord(node)}
[ -x "$node" ] || node=node
exec "$node" "$@"
`;

/**
 * How a user's own installation starts Node: by the path of the Node that runs this, because a program started from a menu
 * may not find it. Its PATH lacks the folders of nvm, fnm, volta and Homebrew. On Windows, where no script can be started
 * without a shell, the path is written only if the PATH of a menu has no Node: a version manager may remove it.
 * @param platform @param run @param menu other ones in tests
 */
export const ownNode = (
  { form, skill }: InstallPlace,
  env: NodeJS.ProcessEnv,
  platform = process.platform,
  run = process.execPath,
  menu: typeof menuPath = menuPath,
): OwnNode => {
  if (form !== 'user' || !/[\\/]node\d*(?:\.exe)?$/i.test(run)) return ON_PATH;
  if (platform !== 'win32')
    return { command: join(skill, SCRIPT), inFolder: `\${CLAUDE_PLUGIN_ROOT}/${SCRIPT}`, script: textFor(run) };
  const path = menu(env, platform);
  const isFound = path === undefined || path.split(';').some((folder) => existsSync(join(folder || '.', 'node.exe')));
  if (isFound) return ON_PATH;
  // Some version managers link to it from a folder that is there for one shell only.
  const real = realpathSync.native(run);
  return { command: real, inFolder: real };
};

/** What starts Node in an installation that is repeated from its own folder, whose files stay as they are. */
export const nodeInPlace = ({ skill }: InstallPlace, { command, script }: OwnNode): string => {
  if (existsSync(join(skill, SCRIPT))) return join(skill, SCRIPT);
  return script === undefined ? command : ON_PATH.command;
};

/** Files that may come from another installation, so that these start Node as this one does. */
export const withNode = (files: ReadonlyMap<string, Buffer>, node: OwnNode): Map<string, Buffer> => {
  const all = [...files].flatMap(([path, bytes]): [string, Buffer][] => {
    if (path === SCRIPT) return [];
    // Node is the only command there.
    const isPlugins = path === 'hooks/hooks.json' || path === '.claude-plugin/plugin.json';
    const start = () => `"command": ${JSON.stringify(node.inFolder)}`;
    const text = () => bytes.toString('utf8').replace(/"command": "(?:[^"\\]|\\.)*"/g, start);
    return [[path, isPlugins ? Buffer.from(text()) : bytes]];
  });
  return new Map(node.script === undefined ? all : [...all, [SCRIPT, Buffer.from(node.script)]]);
};
