// Hosts other than Claude Code, from npm: how each is set up in a separate HOME, and run without a person.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installedProgram, nodeBinary } from './client.ts';
import { type Dialect, startOtherModel, type Turn } from './other-models.ts';
import type { Json } from './stub-model.ts';

interface Place {
  home: string;
  project: string;
  /** The URL of its model. */
  url: string;
}

export interface OtherHost {
  name: string;
  package: string;
  version: string;
  binary: string;
  /** The Node that it needs if ours is too old. */
  node?: string;
  dialect: Dialect;
  /** How the model calls tool `tool` of server `rooms`. */
  named(tool: string): { name: string; namespace?: string };
  /** Writes its settings, with the one server `rooms`; gives its arguments and environment. */
  prepare(place: Place, server: { command: string; args: string[] }): { args: string[]; env?: NodeJS.ProcessEnv };
}

const write = (path: string, content: Json | string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
};

const KEY = 'fake-key';

export const OTHER_HOSTS: readonly OtherHost[] = [
  {
    name: 'Codex',
    package: '@openai/codex',
    version: '0.169.0',
    binary: 'codex',
    dialect: 'responses',
    named: (tool) => ({ name: tool, namespace: 'mcp__rooms' }),
    prepare: ({ home, url }, { command, args }) => {
      const toml = [
        'model = "gpt-5"',
        'model_provider = "stub"',
        'approval_policy = "never"',
        'sandbox_mode = "danger-full-access"',
        '[model_providers.stub]',
        'name = "stub"',
        `base_url = "${url}/v1"`,
        'wire_api = "responses"',
        'env_key = "STUB_KEY"',
        '[mcp_servers.rooms]',
        `command = ${JSON.stringify(command)}`,
        `args = ${JSON.stringify(args)}`,
      ];
      write(join(home, '.codex/config.toml'), `${toml.join('\n')}\n`);
      return {
        args: ['exec', '--json', '--skip-git-repo-check', 'go'],
        env: { CODEX_HOME: join(home, '.codex'), STUB_KEY: KEY },
      };
    },
  },
  {
    name: 'Gemini CLI',
    package: '@google/gemini-cli',
    version: '0.61.0',
    binary: 'gemini',
    dialect: 'gemini',
    named: (tool) => ({ name: `mcp_rooms_${tool}` }),
    prepare: ({ home, url }, server) => {
      write(join(home, '.gemini/settings.json'), {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        mcpServers: { rooms: server },
      });
      return {
        args: ['-p', 'go', '--yolo', '--skip-trust', '-m', 'gemini-2.5-flash', '-o', 'stream-json'],
        env: { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
      };
    },
  },
  {
    name: 'OpenCode',
    package: 'opencode-ai',
    version: '1.18.33',
    binary: 'opencode',
    dialect: 'chat',
    named: (tool) => ({ name: `rooms_${tool}` }),
    prepare: ({ project, url }, { command, args }) => {
      const models = { m: { name: 'm', tool_call: true } };
      const options = { baseURL: `${url}/v1`, apiKey: KEY };
      write(join(project, 'opencode.json'), {
        autoupdate: false,
        share: 'disabled',
        model: 'stub/m',
        small_model: 'stub/m',
        permission: { '*': 'allow' },
        mcp: { rooms: { type: 'local', command: [command, ...args], enabled: true } },
        provider: { stub: { npm: '@ai-sdk/openai-compatible', name: 'Stub', options, models } },
      });
      const off = ['AUTOUPDATE', 'MODELS_FETCH', 'LSP_DOWNLOAD'].map((what) => [`OPENCODE_DISABLE_${what}`, '1']);
      return { args: ['run', '--format', 'json', 'go'], env: Object.fromEntries(off) };
    },
  },
  {
    name: 'Copilot CLI',
    package: '@github/copilot',
    version: '1.0.102',
    binary: 'copilot',
    dialect: 'chat',
    named: (tool) => ({ name: `rooms-${tool}` }),
    prepare: ({ home, url }, server) => {
      write(join(home, '.copilot/mcp-config.json'), {
        mcpServers: { rooms: { type: 'local', tools: ['*'], ...server } },
      });
      return {
        args: ['-p', 'go', '--allow-all-tools', '--no-auto-update', '--output-format', 'json'],
        env: {
          COPILOT_OFFLINE: 'true',
          COPILOT_AUTO_UPDATE: 'false',
          COPILOT_MODEL: 'stub-model',
          COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
          COPILOT_PROVIDER_API_KEY: KEY,
        },
      };
    },
  },
  {
    name: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    binary: 'qwen',
    node: '22',
    dialect: 'chat',
    named: (tool) => ({ name: `mcp__rooms__${tool}` }),
    prepare: ({ home, url }, server) => {
      write(join(home, '.qwen/settings.json'), {
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
        mcpServers: { rooms: server },
      });
      return {
        args: ['--yolo', '-o', 'stream-json', '--auth-type', 'openai', '-p', 'go'],
        env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'stub-model' },
      };
    },
  },
  {
    name: 'Cline',
    package: 'cline',
    version: '3.0.65',
    binary: 'cline',
    dialect: 'chat',
    named: (tool) => ({ name: `rooms__${tool}` }),
    prepare: ({ home, url }, server) => {
      const settings = { provider: 'openai-compatible', apiKey: KEY, model: 'm', baseUrl: `${url}/v1` };
      const since = { updatedAt: new Date().toISOString(), tokenSource: 'manual' };
      write(join(home, '.cline/data/settings/providers.json'), {
        version: 1,
        lastUsedProvider: 'openai-compatible',
        modes: {},
        providers: { 'openai-compatible': { settings, ...since } },
      });
      write(join(home, '.cline/data/settings/cline_mcp_settings.json'), {
        mcpServers: { rooms: { ...server, disabled: false } },
      });
      return {
        args: ['--json', '-P', 'openai-compatible', '-m', 'm', 'go on now'],
        env: { CLINE_SESSION_BACKEND_MODE: 'local', CLINE_TELEMETRY_DISABLED: '1' },
      };
    },
  },
];

const RUN_TIME = 90_000;

/** Runs a host once, without a person, through these turns of its model; resolves when it has ended. */
export const runOtherHost = async (
  host: OtherHost,
  folder: string,
  server: { command: string; args: string[] },
  turns: readonly Turn[],
): Promise<{ code: number | null; requests: Json[] }> => {
  const binary = installedProgram(`host-${host.binary}`, `${host.package}@${host.version}`, `.bin/${host.binary}`);
  const node = host.node && dirname(nodeBinary(host.node));
  const [home, project] = [join(folder, 'home'), join(folder, 'project')];
  for (const one of [home, project]) mkdirSync(one, { recursive: true });
  const model = await startOtherModel(host.dialect, turns);
  try {
    const { args, env } = host.prepare({ home, project, url: model.url }, server);
    const PATH = [...(node ? [node] : []), process.env.PATH].join(':');
    const child = spawn(binary, args, {
      cwd: project,
      env: { PATH, HOME: home, TERM: 'dumb', ...env },
      stdio: 'ignore',
      timeout: RUN_TIME,
      killSignal: 'SIGKILL',
    });
    const code = await new Promise<number | null>((done, failed) =>
      child.once('error', failed).once('close', (exit) => done(exit)),
    );
    return { code, requests: model.requests };
  } finally {
    await model.close();
  }
};
