// The client's command line on systems where it is not a file: macOS joins the words with blanks, Windows quotes them.
import { execFile } from 'node:child_process';
import { ofWindows, outputOf } from '../state/programs.ts';
import { type System, thisSystem } from './system.ts';

/** How long a program may take to report another one's command line, in ms. */
const PATIENCE = { ps: 1_000, windows: 5_000 };
/** Longer lines hold a prompt or JSON. In characters. */
const LONGEST = 64 * 1024;

const FLAGS = new Set([
  ...['-c', '--continue', '--bare', '--brief', '--chrome', '--ide', '--verbose', '--fork-session', '--safe-mode'],
  ...['--strict-mcp-config', '--dangerously-skip-permissions', '--allow-dangerously-skip-permissions'],
]);
/** Options whose value is one word, and what that looks like. */
const VALUED = new Map<string, RegExp>(
  Object.entries({
    '--model': /^[\w.:[\]/-]+$/,
    '--effort': /^\w+$/,
    '--permission-mode': /^\w+$/,
    '--setting-sources': /^[\w,]+$/,
    '--session-id': /^[\da-f-]{36}$/,
    '--resume': /^[\da-f-]{36}$/,
    '-r': /^[\da-f-]{36}$/,
    '--settings': /^[^\s{"']+\.json$/,
    '--plugin-dir': /^[^\s{"']+$/,
    '--mcp-config': /^[^\s{"']+\.json$/,
  }),
);

/** How many words, from a place on, are a known option and its values; 0 if they are not. */
const optionAt = (words: readonly string[], at: number): number => {
  const word = words[at] ?? '';
  if (FLAGS.has(word)) return 1;
  const [name = '', ...rest] = word.split('=');
  const shape = VALUED.get(name);
  if (shape === undefined) return 0;
  if (rest.length > 0) return shape.test(rest.join('=')) ? 1 : 0;
  let end = at + 2;
  if (name === '--mcp-config') while (end < words.length && !words[end]?.startsWith('-')) end++;
  return words.length >= end && words.slice(at + 1, end).every((value) => shape.test(value)) ? end - at : 0;
};

/**
 * The words of a line as `ps` prints it, where blanks inside of words look like those between them. A prompt may contain
 * text that looks like an option, and anyone may have written it: undefined unless each word is a known option or its value.
 */
export const wordsOfPs = (line: string): string[] | undefined => {
  const words = line.trim().split(/\s+/);
  const program = words.findIndex((word) => /(?:^|\/)claude$/.test(word));
  if (line.length > LONGEST || program < 0 || program > 1) return undefined;
  let at = program + 1;
  while (at < words.length) {
    const length = optionAt(words, at);
    if (length === 0) return undefined;
    at += length;
  }
  return words;
};

/** The words of a Windows command line, split by the rules of its C library, as programs do. */
export const wordsOfWindows = (line: string): string[] => {
  const words: string[] = [];
  let [word, quoted, begun] = ['', false, false];
  for (const [text, slashes] of line.matchAll(/(\\*)"|\\+|[^\\"]/gs)) {
    if (slashes === undefined && !quoted && /^\s$/.test(text)) {
      if (begun) words.push(word);
      [word, begun] = ['', false];
      continue;
    }
    begun = true;
    // Before a quote, two backslashes stand for one, and a remaining one makes the quote literal.
    word += slashes === undefined ? text : '\\'.repeat(Math.floor(slashes.length / 2));
    if (slashes === undefined) continue;
    if (slashes.length % 2 === 1) word += '"';
    else quoted = !quoted;
  }
  return begun ? [...words, word] : words;
};

const known = new Map<number, string[] | undefined>();

const onMac = (pid: number): string[] | undefined => {
  const asked = ['-ww', '-o', 'args=', '-p', String(pid)];
  // By its full path: the first `ps` on the PATH may be any program.
  const line = outputOf('/bin/ps', asked, { timeout: PATIENCE.ps, maxBuffer: LONGEST });
  return line === undefined ? undefined : wordsOfPs(line);
};

/** A line of cmd.exe that runs a script of PowerShell. @param script without double quotes and percent signs */
export const powerShell = (script: string): string =>
  `WindowsPowerShell\\v1.0\\powershell.exe -NoProfile -NonInteractive -Command "${script}"`;

/**
 * Looks up a process's command line in the background, since that can take half a second. The line is unknown until then,
 * and if the lookup fails.
 * @param platform @param start other ones in tests
 */
export const lookUpLine = (pid: number, platform = process.platform, start: typeof execFile = execFile): void => {
  if (platform !== 'win32' || !Number.isSafeInteger(pid)) return;
  const script = powerShell(`(Get-CimInstance Win32_Process -Filter 'ProcessId=${pid}').CommandLine`);
  const { program, args, options } = ofWindows(script, PATIENCE.windows);
  start(program, args, options, (error, line) => {
    if (error === null && line.trim() !== '' && line.length <= LONGEST) known.set(pid, wordsOfWindows(line.trim()));
  });
};

/** The system, with facts that only a program can find out. @param platform other than this one in tests */
export const seenSystem = (platform = process.platform): System => ({
  ...thisSystem,
  commandLine: (pid) => {
    if (platform !== 'darwin' || known.has(pid)) return known.get(pid) ?? thisSystem.commandLine(pid);
    const words = Number.isSafeInteger(pid) && pid > 0 ? onMac(pid) : undefined;
    known.set(pid, words);
    return words;
  },
});
