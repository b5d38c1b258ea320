// mcp-validate: the workflow of its documentation, run as a runner does it.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Json } from '../scripts/contract/types.ts';
import { base, CLI, EXAMPLE_CLI, EXAMPLE_MCP, tool } from './mcp-validate-run.ts';
import { copyPrograms } from './run-program.ts';

describe('the workflow of the documentation', { skip: process.platform === 'win32' }, () => {
  interface Step {
    run: string;
    onFailure: boolean;
  }
  /** The `run:` lines of the only job. Parses only as much YAML as the file uses. */
  const steps = (): Step[] => {
    const text = readFileSync('docs/workflows/mcp-validate.yml', 'utf8');
    return text
      .slice(text.indexOf('    steps:'))
      .split(/^ {6}- /m)
      .flatMap((part) => {
        const [, block, line] = /^ *run: (?:\|\n((?: {10}.*\n?)+)|(.+))$/m.exec(part) ?? [];
        const script = block?.replace(/^ {10}/gm, '') ?? line;
        return script === undefined ? [] : [{ run: script, onFailure: /^ *if: failure\(\)$/m.test(part) }];
      });
  };
  /** A project with its own CLI and the built konnichiwagwan; npm installs both from folders. */
  const writeProject = (folder: string): void => {
    const bin = (name: string, file: string) => JSON.stringify({ name, version: '1.0.0', bin: { [name]: file } });
    mkdirSync(join(folder, 'cli'));
    const script = `#!/usr/bin/env node\nif (process.argv[2] === 'manifest') console.log(${JSON.stringify(JSON.stringify({ ok: true, data: EXAMPLE_CLI, error: null, warnings: [], meta: {} }))});\n`;
    writeFileSync(join(folder, 'cli/mycli.cjs'), script);
    writeFileSync(join(folder, 'cli/package.json'), bin('mycli', 'mycli.cjs'));
    mkdirSync(join(folder, 'kwg'));
    writeFileSync(join(folder, 'kwg/package.json'), bin('konnichiwagwan', 'dist/cli.cjs'));
    copyPrograms(join(folder, 'kwg/dist'));
    chmodSync(join(folder, 'kwg/dist/cli.cjs'), 0o755);
    chmodSync(join(folder, 'cli/mycli.cjs'), 0o755);
    const dependencies = { mycli: 'file:cli', konnichiwagwan: 'file:kwg' };
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'project', version: '1.0.0', private: true, devDependencies: dependencies }),
    );
    execFileSync('npm', ['install', '--package-lock-only', '--offline', '--no-audit', '--no-fund'], {
      cwd: folder,
      env: environment(folder),
      stdio: 'pipe',
    });
  };
  const project = join(base, 'project');
  const repository = (tools: Json): { folder: string; runner: string } => {
    const folder = mkdtempSync(join(base, 'repository-'));
    const runner = mkdtempSync(join(base, 'runner-'));
    if (!existsSync(project)) {
      mkdirSync(project);
      writeProject(project);
    }
    cpSync(project, folder, { recursive: true });
    writeFileSync(join(folder, 'mcp-schema.json'), JSON.stringify({ tools }, null, 2));
    return { folder, runner };
  };
  const environment = (runner: string): NodeJS.ProcessEnv => ({
    PATH: process.env.PATH,
    HOME: runner,
    RUNNER_TEMP: runner,
    GITHUB_STEP_SUMMARY: join(runner, 'summary.md'),
    npm_config_cache: join(base, 'npm'),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  });
  /** Runs the job as a runner does: `bash -e`, one step after the other; after a failure, only the steps for that case. */
  const runJob = async ({ folder, runner }: { folder: string; runner: string }) => {
    let failed = false;
    const logs: string[] = [];
    for (const { run: script, onFailure } of steps()) {
      if (onFailure !== failed) continue;
      const file = join(runner, 'step.sh');
      writeFileSync(file, script);
      const { code, log } = await new Promise<{ code: number | null; log: string }>((done) => {
        const child = spawn('bash', ['-e', file], {
          cwd: folder,
          env: { ...environment(runner), GITHUB_WORKSPACE: folder },
          timeout: 120_000,
        });
        let text = '';
        for (const stream of [child.stdout, child.stderr]) {
          stream.on('data', (chunk) => {
            text += chunk;
          });
        }
        child.on('close', (status) => done({ code: status, log: text }));
      });
      logs.push(log);
      failed ||= code !== 0;
    }
    return { failed, logs };
  };

  it('npm can start the command by its name', () => {
    assert.ok(readFileSync(CLI, 'utf8').startsWith('#!/usr/bin/env node\n'));
  });
  it('has the steps that it is read for', () => {
    assert.deepEqual(
      steps().map(({ onFailure }) => onFailure),
      [false, false, false, true],
    );
  });
  it('passes where the wrapper is up to date', async () => {
    const tools = [tool('deploy', { target: { type: 'string' } }, ['target']), tool('delete')];
    const { failed, logs } = await runJob(repository(tools));
    assert.equal(failed, false, logs.join('\n'));
    assert.equal(logs.length, 3);
  });
  it('fails where it is not, with annotations and a summary', async () => {
    const made = repository(EXAMPLE_MCP);
    const { failed, logs } = await runJob(made);
    assert.equal(failed, true);
    assert.match(logs[2] ?? '', /^::error file=mcp-schema\.json,line=\d+,.*data\.url/m);
    assert.match(readFileSync(join(made.runner, 'summary.md'), 'utf8'), /no tool for the command `delete`/);
  });
});
