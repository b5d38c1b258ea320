import type { Spot } from '../../reports/locate.ts';
import type { LintFinding } from '../types.ts';
import { nameOf } from './group.ts';

export interface FileSpot extends Spot {
  file: string;
  endLine?: number;
}

/** The place of the version, which is at the top of an answer, outside of all tools. */
const versionSpot = (source: string | undefined): Spot => {
  const at = source?.search(/"schema_?[vV]ersion"\s*:/) ?? -1;
  if (source === undefined || at < 0) return { line: 1, column: 1 };
  const before = source.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
};

/** The place of a finding: in its own file, or in the tool list. */
export const spotIn = (
  finding: LintFinding,
  uri: string,
  source: string | undefined,
  spotOf: (tool: string, path: string) => Spot,
  toUri: (file: string) => string,
): FileSpot => {
  const { place, path } = finding;
  if (place !== undefined) return { ...place, file: toUri(place.file) };
  return { file: uri, ...(path === '/schema_version' ? versionSpot(source) : spotOf(nameOf(finding), path)) };
};
