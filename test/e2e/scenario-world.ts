// A world for scenarios: our installed hooks in the real client, against a scripted model, a gateway and an MCP server on
// loopback.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { FixtureServer, type Tool } from './fixture-server.ts';
import { type Case, INSTALL } from './forms.ts';
import { Interactive, until } from './interactive.ts';
import { type HeadlessOptions, type HeadlessRun, runHeadless, sandbox } from './run.ts';
import { type Answer, type Json, type RequestBody, type Script, toolResults } from './stub-model.ts';

export const tool = 'mcp__fx__weather';
export const oldArgs = { city: 'Utrecht' };
export const newArgs = { location: 'Utrecht', units: 'c' };

export const toolA = weather({ city: { type: 'string', description: 'Name of the city' } }, ['city']);
export const toolB = weather({ location: { type: 'string' }, units: { type: 'string', enum: ['c', 'f'] } }, [
  'location',
  'units',
]);
/** Same name, same type, other words: no schema check sees it. */
export const toolReworded = weather({ city: { type: 'string', description: 'Postal code, quokka style' } }, ['city']);
/** Two words: the client names its plan files after single ones, such as "mighty-quokka". */
export const newWords = /postal code/i;

export function weather(properties: Json, required: string[]): Tool {
  const inputSchema = { type: 'object', properties, required, additionalProperties: false };
  return { name: 'weather', description: 'Weather of today', inputSchema };
}

export const call = (input: Json, before?: () => unknown): Answer => ({ tool, input, before });
export const end: Answer = { text: 'the end' };

/** A sandbox, a server on schema A, and our hooks. The gateway's URL is the whole configuration. */
export async function world(
  t: TestContext,
  { version, form }: Case,
  { hints = {}, install = INSTALL[form] }: { hints?: Pick<Tool, 'annotations'>; install?: (home: string) => void } = {},
) {
  const box = sandbox();
  const server = await FixtureServer.start(box.dir, [{ ...toolA, ...hints }], '2026-04-09');
  const terminals: Interactive[] = [];
  t.after(async () => {
    await Promise.all(terminals.map((terminal) => terminal.kill()));
    await server.close();
  });
  install(box.home);
  const common = (more: Partial<HeadlessOptions> = {}) => ({
    version,
    home: box.home,
    cwd: box.cwd,
    mcp: { fx: server.mcp() },
    ...more,
    env: { GATEWAY_URL: server.url, ...more.env },
  });
  return {
    ...box,
    server,
    async run(steps: Script, more: Partial<HeadlessOptions> = {}): Promise<HeadlessRun> {
      const run = await runHeadless({ ...common(more), steps });
      // Helps to understand a failed test: what our hooks said.
      for (const hook of run.hooks) t.diagnostic(`${hook.name}: exit ${hook.exitCode} ${hook.stdout}${hook.stderr}`);
      return run;
    },
    async open(steps: Script, more: Partial<HeadlessOptions> = {}): Promise<Interactive> {
      const terminal = await Interactive.start({ ...common(more), steps });
      terminals.push(terminal);
      // The older client does not wait with the first prompt until plugins' servers are connected.
      await until(
        () => server.log('list').length > 0,
        () => 'the client did not ask for the list of tools',
      );
      return terminal;
    },
    /** Changes the server, and waits until earlier answers count as old. */
    async change(to: Tool = toolB, schemaVersion = '2026-04-10'): Promise<void> {
      server.set([{ ...to, ...hints }], schemaVersion);
      await server.outlive();
    },
  };
}

/** The outcomes of the calls of our tool, in order, as shown to the model. */
export function outcomes(requests: HeadlessRun['requests']): { text: string; isError: boolean }[] {
  return toolResults(requests.at(-1)?.body).filter((result) => !result.text.includes('tool_reference'));
}

export function assertDenied(outcome: { text: string; isError: boolean } | undefined): void {
  assert.ok(outcome, 'the model got no result');
  assert.ok(outcome.isError, `not an error: ${outcome.text}`);
  assert.match(outcome.text, /konnichiwagwan/);
  assert.match(outcome.text, /location/);
}

export function assertServed(outcome: { text: string; isError: boolean } | undefined): void {
  assert.match(outcome?.text ?? 'no result', /^served weather/);
}

export function guards(run: HeadlessRun): HeadlessRun['hooks'] {
  return run.hooks.filter((hook) => hook.event === 'PreToolUse');
}

/** What the newer client adds to a headless run's output for its reader. */
export function streamedToUser({ messages }: HeadlessRun): string {
  return JSON.stringify(messages.filter(({ subtype }) => subtype === 'informational'));
}

export function messagesToUser(run: HeadlessRun): string[] {
  const answers = run.hooks.filter((hook) => hook.stdout).map((hook) => JSON.parse(hook.stdout) as Json);
  return answers.map((answer) => answer.systemMessage).filter((message): message is string => Boolean(message));
}

export function assertNoCrash(run: HeadlessRun): void {
  for (const hook of run.hooks) {
    assert.equal(hook.exitCode, 0, `${hook.name}: ${hook.stderr}`);
    assert.doesNotMatch(hook.stderr, /^\s+at /m);
    if (hook.stdout) assert.doesNotThrow(() => JSON.parse(hook.stdout), hook.stdout);
  }
}

export function shownParameters(body: RequestBody | undefined): string[] {
  const shown = body?.tools?.find(({ name }) => name === tool);
  return Object.keys((shown?.input_schema?.properties as Json) ?? {});
}

export const served = (...args: Json[]) => args.map((given) => ({ name: 'weather', arguments: given }));
