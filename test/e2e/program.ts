// A stdio MCP server in a separate folder, which records every start and can be rebuilt.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repo } from './client.ts';
import type { Call, Tool } from './fixture-server.ts';
import type { Json } from './stub-model.ts';

export class Program {
  private readonly main: string;
  private readonly control: string;
  private readonly log: string;
  private readonly started: string;

  constructor(folder: string, tools: Tool[]) {
    // The log and the tools change all the time: they are not part of the program.
    const notes = `${folder}-notes`;
    for (const path of [folder, notes]) mkdirSync(path, { recursive: true });
    this.main = join(folder, 'main.mjs');
    this.control = join(notes, 'control.json');
    this.log = join(notes, 'log.jsonl');
    this.started = join(notes, 'started');
    writeFileSync(this.control, JSON.stringify({ tools }));
    const start = `import { writeSync, openSync } from 'node:fs';\nwriteSync(openSync(${JSON.stringify(this.started)}, 'a'), '.');\n`;
    writeFileSync(this.main, start + readFileSync(join(repo, 'test/e2e/mcp-server.mjs'), 'utf8'));
  }

  /** The server's entry in a configuration. */
  get entry(): { command: string; args: string[] } {
    return { command: process.execPath, args: [this.main, this.control, this.log] };
  }

  rebuild(): void {
    appendFileSync(this.main, '// built anew\n');
  }

  starts(): number {
    return existsSync(this.started) ? readFileSync(this.started, 'utf8').length : 0;
  }

  calls(): Call[] {
    if (!existsSync(this.log)) return [];
    const lines = readFileSync(this.log, 'utf8').split('\n').filter(Boolean);
    const entries = lines.map((line) => JSON.parse(line) as Json & Call);
    return entries
      .filter(({ event }) => event === 'call')
      .map(({ name, arguments: args }) => ({ name, arguments: args }));
  }
}
