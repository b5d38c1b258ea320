import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quietly } from '../contract/attempt.ts';
import { CLIENT_ID } from './client-names.ts';

/** What the guard notes about a call that it let through, for the wrap that receives the call. */
export interface Handoff {
  mode: 'off' | 'warn' | 'guard' | 'strict';
  /** Key of the source under which its last answer is kept. */
  source: string;
  /**
   * The contract it was judged by: digest of the tool as its server listed it, null if it listed no such tool. Absent:
   * judged by what another source says about the tool.
   */
  listed?: string | null;
  /** The call's names in the activity log. */
  logged: Logged;
}

/** Under which names a call is logged; the tool by its name in the client. */
export interface Logged {
  session: string;
  server?: string | undefined;
  tool: string;
}

export const handoffPath = (folder: string, toolUseId: string): string => join(folder, `${toolUseId}.handoff`);

/** Leaves a handoff about a call for this folder's wrap. Never throws: without one, wrap judges the call, too. */
export const writeHandoff = (folder: string, toolUseId: string, handoff: Handoff): void => {
  if (!CLIENT_ID.test(toolUseId)) return;
  quietly(() => writeFileSync(handoffPath(folder, toolUseId), JSON.stringify(handoff), { mode: 0o600 }));
};
