// The list of all commands. Each is loaded when it is used: `status` must not pay for `demo`, nor the list for any of them.
import type { Command } from '../command/command.ts';
import { LOCKFILE } from '../lock/types.ts';
import { expectShortRun } from '../state/engine.ts';

export interface CommandEntry {
  /** One line for the list. */
  summary: string;
  load: () => Promise<Command>;
}

/** The commands by their names, grouped by purpose. */
export const GROUPS: Record<string, Record<string, CommandEntry>> = {
  'Guard your servers:': {
    install: {
      summary: 'put the guard and the skill into Claude Code, and guard your servers',
      load: async () => (await import('./install.ts')).install,
    },
    wrap: {
      summary: "check a server's calls in any host; --add puts wrap before a server, --remove takes it out",
      load: async () => (await import('./wrap-hosts.ts')).wrap,
    },
    doctor: {
      summary: 'is everything in place, and does the installed guard work?',
      load: async () => (await import('./doctor.ts')).doctor,
    },
    demo: {
      summary: 'five calls after a release, without and with the guard; touches nothing',
      load: async () => (await import('./demo.ts')).demo,
    },
    uninstall: {
      summary: 'take out what install added, and put wrapped servers back',
      load: async () => (await import('./uninstall.ts')).uninstall,
    },
  },
  'See what is going on:': {
    status: {
      summary: 'which servers are up to date, changed or not checked; what /konnichiwagwan shows',
      load: async () => (await import('./status.ts')).status,
    },
    probe: {
      summary: 'asks now: did tools change since this session started? (Phase F)',
      load: async () => (await import('./probe.ts')).probe,
    },
    logs: {
      summary: 'the last verdicts of the guard, and what had changed',
      load: async () => (await import('./logs.ts')).logs,
    },
    scan: {
      summary: 'what changed under the MCP calls of your past conversations; works without installing',
      load: async () => (await import('./scan.ts')).scan,
    },
    explain: {
      summary: 'every step of the decision on one call',
      load: async () => (await import('./explain.ts')).explain,
    },
    baseline: {
      summary: 'what a session started with; --record takes a new one',
      load: async () => (await import('./baseline.ts')).baseline,
    },
    statusline: {
      summary: 'one segment for a status line: fresh, n changed, n new versions, n unchecked',
      load: async () => (await import('./statusline.ts')).statusline,
    },
  },
  'Agree on contracts:': {
    pin: {
      summary: `write what servers offer now into ${LOCKFILE}`,
      load: async () => (await import('./pin.ts')).pin,
    },
    verify: {
      summary: `for CI: is what servers offer what ${LOCKFILE} says?`,
      load: async () => (await import('./verify.ts')).verify,
    },
    approve: {
      summary: 'for a person: look at what differs from the lockfile, and say yes or no',
      load: async () => (await import('./approve.ts')).approve,
    },
    preflight: {
      summary: 'before an unattended job: are the tools that it needs there, and as approved?',
      load: async () => (await import('./preflight.ts')).preflight,
    },
  },
  'Write servers:': {
    diff: {
      summary: 'what changed between two tool lists, and between the prompts and resources in them',
      load: async () => {
        // Before it is loaded: V8 takes no code that was compiled under other settings.
        expectShortRun();
        return (await import('./diff.ts')).diff;
      },
    },
    lint: {
      summary: 'for people who write servers: what clients refuse, and what makes changes hard to notice',
      load: async () => (await import('./lint.ts')).lint,
    },
    'mcp-validate': {
      summary: "compares a CLI's MCP wrapper with what the CLI takes and prints",
      load: async () => (await import('./mcp-validate.ts')).mcpValidate,
    },
    usage: {
      summary: 'calls per tool and day, and whether a legacy tool can be retired',
      load: async () => (await import('./usage.ts')).usage,
    },
    hash: {
      summary: 'the hash of each contract in a file, as the lockfile has it',
      load: async () => (await import('./hash.ts')).hash,
    },
  },
};

export const COMMANDS: Readonly<Record<string, CommandEntry>> = Object.assign({}, ...Object.values(GROUPS));
