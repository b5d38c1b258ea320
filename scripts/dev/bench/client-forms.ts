// The same call in the real client, with each form of the guard and with checks of other tools.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { which } from 'zx';
import { type Env, editSettings, installHooks, installPlugin } from '../../../test/e2e/run.ts';
import type { Contract } from '../../contract/types.ts';

/** Installs something into a HOME; returns the environment variables that the client needs for it. */
type ClientForm = (home: string) => Env;

export const FORMS: Record<'no hook' | 'command' | 'resident', ClientForm> = {
  'no hook': () => ({}),
  command: (home) => {
    installHooks(home);
    return {};
  },
  resident: (home) => {
    installPlugin(home);
    return {};
  },
};

const check =
  (command: string, script: string, gateway: string, tools: readonly Contract[]): ClientForm =>
  (home) => {
    const state = join(home, 'state');
    mkdirSync(state);
    writeFileSync(join(state, 'session_schema.json'), JSON.stringify({ tools }));
    const hook = { type: 'command', command, args: [resolve('scripts/dev/bench', script)] };
    editSettings(home, (settings) => {
      settings.hooks = { PreToolUse: [{ matcher: 'mcp__.*', hooks: [hook] }] };
    });
    return { GATEWAY_URL: gateway, KONNICHIWAGWAN_HOME: state };
  };

/** The checks whose programs are installed; they ask a gateway, since they do not speak MCP. */
export const rivalForms = async (gateway: string, tools: readonly Contract[]): Promise<Record<string, ClientForm>> => {
  const has = async (...programs: string[]): Promise<boolean> =>
    (await Promise.all(programs.map((one) => which(one, { nothrow: true })))).every(Boolean);
  return {
    ...((await has('curl', 'jq')) ? { 'sh (curl, jq)': check('sh', 'check.sh', gateway, tools) } : {}),
    ...((await has('python3')) ? { Python: check('python3', 'check.py', gateway, tools) } : {}),
  };
};
