import { readFileSync } from 'node:fs';

/** What discovery reads from the machine, not from the user's files; tests pass their own. */
export interface System {
  /** The folder of an organization's settings. */
  managed: string;
  /** The arguments that a process was started with; undefined if they cannot be known. */
  commandLine(pid: number): string[] | undefined;
}

/** The folder of an organization's settings, which is built into the client. */
const managedFolder = (platform: NodeJS.Platform): string => {
  if (platform === 'darwin') return '/Library/Application Support/ClaudeCode';
  return platform === 'win32' ? 'C:\\Program Files\\ClaudeCode' : '/etc/claude-code';
};

/** Another process's arguments or environment. Only on Linux, where they are files: elsewhere it takes a program. */
const ofProcess = (pid: number, what: 'cmdline' | 'environ'): string[] | undefined => {
  if (process.platform !== 'linux' || !Number.isSafeInteger(pid)) return undefined;
  try {
    // The system itself limits how long these are.
    const text = readFileSync(`/proc/${pid}/${what}`, 'utf8');
    return text === '' ? undefined : text.replace(/\0$/, '').split('\0');
  } catch {
    return undefined;
  }
};

export const thisSystem: System = {
  managed: managedFolder(process.platform),
  commandLine: (pid) => ofProcess(pid, 'cmdline'),
};

/** The arguments of a client; undefined if they are unknown, or if the ID now belongs to another process. */
export const clientWords = (pid: number | undefined, system: System = thisSystem): string[] | undefined => {
  const line = pid === undefined ? undefined : system.commandLine(pid);
  return line?.slice(0, 2).some((part) => /claude/i.test(part)) ? line : undefined;
};

/** The environment that a client was started with, before it read any settings; undefined if it is not known. */
export const clientEnvironment = (pid: number): NodeJS.ProcessEnv | undefined => {
  const lines = clientWords(pid) && ofProcess(pid, 'environ');
  const env = lines && Object.fromEntries(lines.map((line) => [line.split('=', 1)[0], line.replace(/^[^=]*=/, '')]));
  // If another client started this one, its environment holds variables from that client's project.
  return env?.CLAUDECODE === undefined ? env : undefined;
};
