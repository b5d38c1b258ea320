import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { shellWord } from '../text/shell-word.ts';
import type { InstallPlace } from './layout.ts';

/** The script in the skill folder that starts Node for a user's own installation. */
const NODE = 'scripts/node.sh';

/** How a plugin's files start Node: as shipped, and through that script. */
const BARE = '"command": "node"';
const OWN = `"command": "\${CLAUDE_PLUGIN_ROOT}/${NODE}"`;

/**
 * The Node that runs this, if a program started from a menu may not find it: its PATH lacks the folders of nvm, fnm, volta
 * and Homebrew. Undefined on Windows, where such a program gets the user's PATH.
 */
const thisNode = (): string | undefined =>
  process.platform !== 'win32' && /^node\d*$/.test(basename(process.execPath)) ? process.execPath : undefined;

/** Falls back to the PATH: one day a version manager may remove the Node that installed this. */
const textFor = (node: string): string => `#!/bin/sh
# Starts Node for konnichiwagwan, also where the PATH does not lead to it.
node=${shellWord(node)}
[ -x "$node" ] || node=node
exec "$node" "$@"
`;

/** What can start Node in the hooks and commands of an installation, best first. */
export const nodeCommands = ({ form, skill }: InstallPlace): string[] =>
  form === 'user' && process.platform !== 'win32' ? [join(skill, NODE), 'node'] : ['node'];

/**
 * What starts Node in the hooks and commands of an installation.
 * @param files the future contents of its folder; undefined if the folder stays unchanged
 */
export const nodeCommand = (place: InstallPlace, files: ReadonlyMap<string, Buffer> | undefined): string => {
  const isThere = files?.has(NODE) ?? existsSync(join(place.skill, NODE));
  return (isThere ? nodeCommands(place)[0] : undefined) ?? 'node';
};

/** The files of an installation, with the script that starts Node if the installation is the user's own. */
export const withNode = (files: ReadonlyMap<string, Buffer>, { form }: InstallPlace): Map<string, Buffer> => {
  const node = form === 'user' ? thisNode() : undefined;
  const [from, to] = node === undefined ? [OWN, BARE] : [BARE, OWN];
  const all = [...files].flatMap(([path, bytes]): [string, Buffer][] => {
    if (path === NODE) return [];
    const isPlugins = path === 'hooks/hooks.json' || path === '.claude-plugin/plugin.json';
    return [[path, isPlugins ? Buffer.from(bytes.toString('utf8').replaceAll(from, to)) : bytes]];
  });
  return new Map(node === undefined ? all : [...all, [NODE, Buffer.from(textFor(node))]]);
};
