// Runs the real client headless and isolated: temporary HOME, scripted model, loopback only.
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { defined } from '../../scripts/contract/defined.ts';
import { remove } from '../../scripts/state/in-use.ts';
import { clientBinary, repo, type Version } from './client.ts';
import { type Json, type ModelRequest, type Script, startStubModel } from './stub-model.ts';

export type Env = Record<string, string>;
export type McpServers = Record<string, { command: string; args: string[] }>;

export type Sandbox = { dir: string; home: string; cwd: string };

const sandboxes: string[] = [];

/** A folder of one test: a HOME, a project, nothing else. */
export function sandbox(): Sandbox {
  // The real path: the client uses it as the key of a project, and the temporary folder is a link on some systems.
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'kwg-e2e-')));
  sandboxes.push(dir);
  const home = join(dir, 'home');
  const cwd = join(dir, 'project');
  for (const folder of [join(home, '.claude'), cwd, join(dir, 'tmp')]) mkdirSync(folder, { recursive: true });
  // A person's settings are there before ours: installing has to keep them, or every call below is refused.
  writeFileSync(join(home, '.claude/settings.json'), JSON.stringify({ permissions: { allow: ['mcp__fx'] } }));
  return { dir, home, cwd };
}

/** Runs after all tests: a process that our hooks leave behind may still be writing its last file. */
export async function removeSandboxes(): Promise<void> {
  for (let quiet = 0; quiet < 3; await new Promise((next) => setTimeout(next, 100))) {
    const left = sandboxes.filter((dir) => existsSync(dir));
    for (const dir of left) remove(dir);
    quiet = left.length ? 0 : quiet + 1;
  }
}

export const fakeKey = 'sk-fake-for-loopback-000000000000';

/** The client's whole environment: of this process's own, only PATH, with this Node first. */
export function clientEnv(home: string, modelUrl: string, more: Env = {}): Env {
  const tmp = join(dirname(home), 'tmp');
  return {
    ...bareEnv(home),
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    CLAUDE_CODE_TMPDIR: tmp,
    ANTHROPIC_API_KEY: fakeKey,
    ANTHROPIC_BASE_URL: modelUrl,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    // Puts tools into the first request; a scenario about deferred tools removes it again.
    ENABLE_TOOL_SEARCH: 'false',
    ...more,
  };
}

function bareEnv(home: string): Env {
  const PATH = [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter);
  return { PATH, HOME: home, TMPDIR: join(dirname(home), 'tmp') };
}

/** `--mcp-config` and `--settings` as files: the same arguments headless and interactive. */
export function clientArgs(home: string, mcp?: McpServers, settings?: Json): string[] {
  const args: string[] = [];
  const file = (name: string, data: Json) => {
    const path = join(dirname(home), name);
    writeFileSync(path, JSON.stringify(data));
    return path;
  };
  if (mcp) args.push('--mcp-config', file('mcp.json', { mcpServers: mcp }));
  if (settings) args.push('--settings', file('settings.json', settings));
  return args;
}

type HookEvent = { event: string; name: string; stdout: string; stderr: string; exitCode?: number };
type StreamMessage = Json & { type: string; subtype?: string };
type Transcript = { path: string; records: Json[] };

export type HeadlessOptions = {
  version: Version;
  home: string;
  cwd: string;
  steps: Script;
  mcp?: McpServers;
  settings?: Json;
  args?: string[];
  /** An empty string removes a variable. */
  env?: Env;
  prompt?: string;
  timeoutMs?: number;
};

export type HeadlessRun = {
  code: number | null;
  stderr: string;
  sessionId: string;
  messages: StreamMessage[];
  requests: ModelRequest[];
  hooks: HookEvent[];
  transcripts(): Transcript[];
};

export async function runHeadless(options: HeadlessOptions): Promise<HeadlessRun> {
  const { version, home, cwd, steps, mcp, settings, args = [], env, prompt = 'go', timeoutMs = 60_000 } = options;
  const binary = clientBinary(version);
  const model = await startStubModel(steps);
  const stream = ['-p', '--output-format', 'stream-json', '--verbose', '--include-hook-events'];
  const child = spawn(binary, [...stream, ...clientArgs(home, mcp, settings), ...args], {
    cwd,
    env: withoutEmpty(clientEnv(home, model.url, env)),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const late = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  try {
    child.stdin.end(prompt);
    const [code, out, stderr] = await Promise.all([ended(child), text(child.stdout), text(child.stderr)]);
    if (child.signalCode)
      throw new Error(`the client did not end within ${timeoutMs} ms\n${stderr}\n${out.slice(-4_000)}`);
    if (model.errors.length) throw new AggregateError(model.errors, 'a step of the script failed');
    const messages = jsonLines(out) as StreamMessage[];
    return {
      code,
      stderr,
      sessionId: String(messages.find((message) => message.session_id)?.session_id ?? ''),
      messages,
      requests: model.requests,
      hooks: messages.filter((message) => message.subtype === 'hook_response').map(hookEvent),
      transcripts: () => transcripts(home),
    };
  } finally {
    clearTimeout(late);
    await model.close();
  }
}

export function withoutEmpty(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
}

function ended(child: ReturnType<typeof spawn>): Promise<number | null> {
  return new Promise((done, failed) => child.once('error', failed).once('close', done));
}

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  stream.setEncoding('utf8');
  let all = '';
  for await (const chunk of stream) all += chunk;
  return all;
}

function jsonLines(lines: string): Json[] {
  return lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Json);
}

function hookEvent(message: StreamMessage): HookEvent {
  return {
    event: String(message.hook_event),
    name: String(message.hook_name),
    stdout: String(message.stdout ?? ''),
    stderr: String(message.stderr ?? ''),
    ...defined({ exitCode: message.exit_code as number | undefined }),
  };
}

/** The client's transcripts, including those of subagents. */
function transcripts(home: string): Transcript[] {
  const projects = join(home, '.claude/projects');
  if (!existsSync(projects)) return [];
  const files = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.jsonl'));
  return files.map((file) => {
    const path = join(projects, file);
    return { path, records: jsonLines(readFileSync(path, 'utf8')) };
  });
}

type HookCommand = { type: string; command: string; args?: string[]; [key: string]: unknown };
export type Settings = { hooks?: Record<string, { matcher?: string; hooks: HookCommand[] }[]>; [key: string]: unknown };

/** Our hooks and our skill in this HOME, by our own installer. */
export function installHooks(home: string): void {
  const cli = join(repo, 'dist/cli.cjs');
  if (!existsSync(cli)) throw new Error('dist/cli.cjs is missing: npm run build');
  const run = spawnSync(process.execPath, [cli, 'install'], {
    env: bareEnv(home),
    cwd: home,
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (run.status !== 0) throw new Error(`install ended with ${run.status}\n${run.stdout}${run.stderr}`);
}

/** The plugin in this HOME, as a folder of skills: hooks and the resident guard, with no entry in the settings. */
export function installPlugin(home: string): void {
  const folder = join(home, '.claude/skills/konnichiwagwan');
  for (const part of ['.claude-plugin', 'hooks/hooks.json', 'dist', 'skills'])
    cpSync(join(repo, part), join(folder, part), { recursive: true });
}

export function editSettings(home: string, edit: (settings: Settings) => void): void {
  const path = join(home, '.claude/settings.json');
  const settings = JSON.parse(readFileSync(path, 'utf8')) as Settings;
  edit(settings);
  writeFileSync(path, JSON.stringify(settings));
}
