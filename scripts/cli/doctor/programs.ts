import type { Io } from '../../command/command.ts';
import { present } from '../../contract/defined.ts';
import { askVersion, KEEPS_GUARDS, versionIn } from '../../install/client.ts';
import { menuPath } from '../../install/menu-path.ts';
import { isAtLeast, OLDEST_NODE } from '../../state/node-version.ts';
import { quoteText } from '../../text/quote.ts';
import { type Check, note, ok, wrong } from './check.ts';
import type { HookForm } from './forms.ts';

const CLIENT_KNOWS_ARGS = '2.1.139';
const CLIENT_BLOCKS_ON_FAILURE = '2.1.295';
const CLIENT_SHOWS_ITS_TOOLS = '2.1.330';

const REMEMBER = 'konnichiwagwan install, which remembers where node is';

/** What starts Node in our hooks. A repository that the user does not trust could name anything there. */
const nodesOf = (forms: readonly HookForm[]): string[] => {
  const hooks = forms.flatMap(({ untrusted, hooks }) => (untrusted ? [] : hooks));
  const found = new Set(hooks.flatMap(({ command, path }) => (path === undefined ? [] : [command])));
  return found.size > 0 ? [...found] : ['node'];
};

/** Checks the Node that hooks are started with, which need not be the one that runs this. */
export const checkNode = ({ env }: Io, forms: readonly HookForm[]): Check => {
  const name = 'node';
  const commands = nodesOf(forms);
  const found = commands.map((command) => askVersion(command, env));
  const [first = ''] = found;
  const hint = `install Node ${OLDEST_NODE} or newer`;
  const missing = commands[found.indexOf('')];
  if (missing === 'node') return wrong(name, 'there is no node in the PATH', hint);
  if (missing !== undefined)
    return wrong(name, `${quoteText(missing)}, by which hooks start Node, does not run`, REMEMBER);
  const old = found.find((one) => !isAtLeast(versionIn(one) ?? '', OLDEST_NODE));
  if (old !== undefined) return wrong(name, `${old} is too old`, hint);
  const path = menuPath(env);
  const fromMenu = path === undefined ? found : commands.map((command) => askVersion(command, { ...env, PATH: path }));
  const unfit = fromMenu.find((one) => !isAtLeast(versionIn(one) ?? '', OLDEST_NODE));
  if (unfit === undefined) return ok(name, first);
  const instead = unfit === '' ? 'no node' : `${unfit}, which is too old`;
  return note(
    name,
    `${first}; what a menu starts finds ${instead}: there every MCP call would be stopped`,
    forms.some(({ repair }) => repair === 'konnichiwagwan install')
      ? REMEMBER
      : 'start Claude Code from a terminal, or install Node for all programs',
  );
};

/** Checks what the Claude Code on the PATH can do for the guard. */
export const checkClient = ({ env }: Io, forms: readonly HookForm[]): Check => {
  const name = 'Claude Code';
  const found = askVersion('claude', env);
  const version = versionIn(found);
  if (version === undefined) return note(name, 'not found in the PATH');
  if (!isAtLeast(version, CLIENT_KNOWS_ARGS))
    return wrong(
      name,
      `${version} ignores the \`args\` of hooks: it starts Node without our program, and no call is checked`,
      `update it: claude update (${CLIENT_KNOWS_ARGS} or newer)`,
    );
  if (forms.some(({ loaded }) => loaded) && !isAtLeast(version, KEEPS_GUARDS))
    return wrong(
      name,
      `${version} is not known to keep the guard of a folder running, and no hook is in the settings: calls can go unchecked`,
      'konnichiwagwan install, which adds the hooks for it; or claude update',
    );
  const missing = present([
    !isAtLeast(version, CLIENT_SHOWS_ITS_TOOLS) &&
      'it may not write what the model sees to its transcript: then the baseline stands in',
    !isAtLeast(version, CLIENT_BLOCKS_ON_FAILURE) && 'a guard that is killed lets the call through',
  ]);
  if (missing.length === 0) return ok(name, version);
  return note(name, `${version}: ${missing.join('; ')}`, 'a newer Claude Code does both');
};
