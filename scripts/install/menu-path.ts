import { registryText, runProgram } from '../state/programs.ts';

const SYSTEM = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment';
const USER = 'HKCU\\Environment';

/** The PATH that a menu of Windows gives: the system's, then the user's, with the variables in them filled in. */
const onWindows = (env: NodeJS.ProcessEnv, registry: typeof registryText): string | undefined => {
  const paths = [SYSTEM, USER].flatMap((key) => registry(key, 'Path') ?? []);
  if (paths.length === 0) return undefined;
  const variables = new Map(Object.entries(env).map(([name, value]) => [name.toUpperCase(), value]));
  return paths.join(';').replace(/%([^%]+)%/g, (text, name: string) => variables.get(name.toUpperCase()) ?? text);
};

/**
 * The PATH that a menu gives to what it starts, without what a shell's profile adds; undefined if it is not known.
 * @param platform other than this one in tests
 */
export const menuPath = (
  env: NodeJS.ProcessEnv,
  platform = process.platform,
  registry = registryText,
): string | undefined => {
  if (platform === 'win32') return onWindows(env, registry);
  if (platform !== 'darwin') return '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const { stdout, error } = runProgram('launchctl', ['getenv', 'PATH'], { env, timeout: 5_000 });
  return (error ? '' : stdout.trim()) || '/usr/bin:/bin:/usr/sbin:/sbin';
};
