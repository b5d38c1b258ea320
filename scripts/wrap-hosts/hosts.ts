import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Here } from '../command/command.ts';
import { ownFolders, projectKey, realFolder } from '../servers/folder.ts';
import { stateFile } from '../servers/settings.ts';
import { claudeHome, homeOf } from '../state/paths.ts';

/** Who uses a file: `user` for one person, `project` for all who work in a folder, `local` for one person in it. */
export const SCOPES = ['user', 'local', 'project'] as const;
export type Scope = (typeof SCOPES)[number];

/** How a host writes its entries. */
export interface EntryForm {
  /** The member with the variables of a program. */
  env: 'env' | 'environment';
  /** Whether `command` is the whole command line, and not the program alone. */
  isList: boolean;
  /** The `type` of a program; and that of a server behind a URL, where the entry needs one. */
  program: string;
  remote?: string;
  /** The members that can hold a URL; the first one is written where no other is known. */
  urls: readonly string[];
}

/** A place in which entries of servers stand. */
export interface HostPlace {
  host: HostId;
  /** What people call the host. */
  title: string;
  scope: Scope;
  file: string;
  /** The members that lead to the entries. */
  path: readonly string[];
  form: EntryForm;
}

const COMMON: EntryForm = { env: 'env', isList: false, program: 'stdio', urls: ['url'] };
const LIKE_GEMINI: EntryForm = { ...COMMON, urls: ['httpUrl', 'url'] };
const OF_OPENCODE: EntryForm = { env: 'environment', isList: true, program: 'local', remote: 'remote', urls: ['url'] };

/** The hosts whose configuration is known; Codex keeps its own in TOML, which is read and not rewritten. */
const KNOWN = {
  claude: { title: 'Claude Code', form: { ...COMMON, remote: 'http' } },
  cursor: { title: 'Cursor', form: COMMON },
  vscode: { title: 'VS Code', form: { ...COMMON, remote: 'http' } },
  gemini: { title: 'Gemini CLI', form: LIKE_GEMINI },
  copilot: { title: 'Copilot CLI', form: { ...COMMON, program: 'local', remote: 'http' } },
  qwen: { title: 'Qwen Code', form: LIKE_GEMINI },
  opencode: { title: 'OpenCode', form: OF_OPENCODE },
  cline: { title: 'Cline', form: { ...COMMON, remote: 'streamableHttp' } },
  codex: { title: 'Codex', form: COMMON },
} satisfies Record<string, Pick<HostPlace, 'title' | 'form'>>;
export type HostId = keyof typeof KNOWN;
export const HOSTS = Object.keys(KNOWN) as HostId[];

/** The folders of VS Code's own settings: of each edition, and of each profile in it. */
const codeFolders = (home: string, env: NodeJS.ProcessEnv): string[] => {
  const base =
    process.platform === 'win32'
      ? env.APPDATA || join(home, 'AppData/Roaming')
      : process.platform === 'darwin'
        ? join(home, 'Library/Application Support')
        : env.XDG_CONFIG_HOME || join(home, '.config');
  return ['Code', 'Code - Insiders'].flatMap((edition) => {
    const user = join(base, edition, 'User');
    const profiles = join(user, 'profiles');
    return [user, ...(existsSync(profiles) ? readdirSync(profiles).map((name) => join(profiles, name)) : [])];
  });
};

/** Every place in which a host that is started in this folder finds its servers, whether or not the file exists. */
export const hostPlaces = ({ env, cwd }: Here): HostPlace[] => {
  const home = resolve(cwd, homeOf(env));
  const project = realFolder(cwd);
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  const place = (host: HostId, scope: Scope, file: string, ...path: string[]): HostPlace => ({
    ...KNOWN[host],
    ...{ host, scope, file, path },
  });
  const claudeFile = stateFile({ project, home, claudeHome: resolve(cwd, claudeHome(env)), env });
  const codes = codeFolders(home, env);
  const cline = 'cline_mcp_settings.json';
  return [
    place('claude', 'user', claudeFile, 'mcpServers'),
    place('claude', 'local', claudeFile, 'projects', projectKey(project), 'mcpServers'),
    ...ownFolders(project).map((folder) => place('claude', 'project', join(folder, '.mcp.json'), 'mcpServers')),
    place('cursor', 'user', join(home, '.cursor/mcp.json'), 'mcpServers'),
    place('cursor', 'project', join(project, '.cursor/mcp.json'), 'mcpServers'),
    ...codes.map((folder) => place('vscode', 'user', join(folder, 'mcp.json'), 'servers')),
    place('vscode', 'project', join(project, '.vscode/mcp.json'), 'servers'),
    place('gemini', 'user', join(home, '.gemini/settings.json'), 'mcpServers'),
    place('gemini', 'project', join(project, '.gemini/settings.json'), 'mcpServers'),
    place('copilot', 'user', join(env.COPILOT_HOME || join(home, '.copilot'), 'mcp-config.json'), 'mcpServers'),
    place('qwen', 'user', join(home, '.qwen/settings.json'), 'mcpServers'),
    place('qwen', 'project', join(project, '.qwen/settings.json'), 'mcpServers'),
    ...['opencode.json', 'opencode.jsonc'].flatMap((name) => [
      place('opencode', 'user', join(config, 'opencode', name), 'mcp'),
      place('opencode', 'project', join(project, name), 'mcp'),
    ]),
    ...[
      env.CLINE_MCP_SETTINGS_PATH || join(home, '.cline/data/settings', cline),
      ...codes.map((folder) => join(folder, 'globalStorage/saoudrizwan.claude-dev/settings', cline)),
    ].map((file) => place('cline', 'user', file, 'mcpServers')),
    place('codex', 'user', join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'), 'mcp_servers'),
    place('codex', 'project', join(project, '.codex/config.toml'), 'mcp_servers'),
  ];
};
