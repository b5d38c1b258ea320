import type { Drift, DriftEntry } from './kit/validate.d.ts';
import { typeText } from './type-text.ts';
import type { Mismatch } from './types.ts';

const entryOf = ({ command, field, cli, mcp, aspects }: Mismatch): DriftEntry => ({
  command,
  field: field ?? null,
  cli_type: cli === undefined ? null : typeText(cli, aspects),
  // A tool without a command has no field whose type could be given.
  mcp_type: mcp === undefined ? (field === undefined ? 'tool' : null) : typeText(mcp, aspects),
});

/** The differences in the wire form of REQ-O-035. */
export const toDrift = (found: readonly Mismatch[]): Drift => {
  const of = (kind: Mismatch['kind']): Mismatch[] => found.filter((one) => one.kind === kind);
  return {
    added: of('added').map(entryOf),
    removed: of('removed').map(entryOf),
    changed: of('changed').map(entryOf),
    missing_from_mcp: of('missing').map(({ command }) => command),
  };
};
