import type { Io } from '../../command/command.ts';
import { KEEPS_GUARDS, versionIn, versionText } from '../../install/client.ts';
import { isAtLeast, OLDEST_NODE } from '../../state/node-version.ts';
import type { Check } from './check.ts';
import type { HookForm } from './forms.ts';

const CLIENT_KNOWS_ARGS = '2.1.139';
const CLIENT_BLOCKS_ON_FAILURE = '2.1.295';
const CLIENT_SHOWS_ITS_TOOLS = '2.1.330';

/** Checks the Node that hooks are started with. */
export const checkNode = ({ env }: Io): Check => {
  // Hooks are started with the first `node` on the PATH, which need not be the one that runs this.
  const found = versionText('node', env);
  if (found === '')
    return {
      name: 'node',
      state: 'wrong',
      detail: 'there is no node in the PATH',
      hint: `install Node ${OLDEST_NODE} or newer`,
    };
  if (isAtLeast(versionIn(found) ?? '', OLDEST_NODE)) return { name: 'node', state: 'ok', detail: found };
  return {
    name: 'node',
    state: 'wrong',
    detail: `${found} is too old`,
    hint: `install Node ${OLDEST_NODE} or newer`,
  };
};

/** Checks what the Claude Code on the PATH can do for the guard. */
export const checkClient = ({ env }: Io, forms: readonly HookForm[]): Check => {
  const found = versionText('claude', env);
  const version = versionIn(found);
  if (version === undefined) return { name: 'Claude Code', state: 'note', detail: 'not found in the PATH' };
  if (!isAtLeast(version, CLIENT_KNOWS_ARGS))
    return {
      name: 'Claude Code',
      state: 'wrong',
      detail: `${version} ignores the \`args\` of hooks: it starts Node without our program, and no call is checked`,
      hint: `update it: claude update (${CLIENT_KNOWS_ARGS} or newer)`,
    };
  if (forms.some(({ loaded }) => loaded) && !isAtLeast(version, KEEPS_GUARDS))
    return {
      name: 'Claude Code',
      state: 'wrong',
      detail: `${version} is not known to keep the guard of a folder running, and no hook is in the settings: calls can go unchecked`,
      hint: 'konnichiwagwan install, which adds the hooks for it; or claude update',
    };
  const missing = [
    ...(isAtLeast(version, CLIENT_SHOWS_ITS_TOOLS)
      ? []
      : ['it may not write what the model sees to its transcript: then the baseline stands in']),
    ...(isAtLeast(version, CLIENT_BLOCKS_ON_FAILURE) ? [] : ['a guard that is killed lets the call through']),
  ];
  if (missing.length === 0) return { name: 'Claude Code', state: 'ok', detail: version };
  return {
    name: 'Claude Code',
    state: 'note',
    detail: `${version}: ${missing.join('; ')}`,
    hint: 'a newer Claude Code does both',
  };
};
