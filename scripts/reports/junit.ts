import { present } from '../contract/defined.ts';
import { pointerText } from '../contract/json-pointer.ts';
import { worstOf } from '../diff/levels.ts';
import type { FoundChange } from '../diff/types.ts';
import { visible } from '../text/visible.ts';
import { countText } from './changes.ts';
import { xml } from './escape.ts';
import { plainMessage } from './place.ts';
import type { Bearing, Format } from './types.ts';

/** A change of any level makes the exit code 1, and a CI system that reads only this file has to see that. */
const fails = (): Bearing => 'failed';

const line = (change: FoundChange): string => {
  const path = change.path === '' ? '' : ` at ${visible(pointerText(change.path), { max: 500 })}`;
  return `${change.level}: ${plainMessage(change)} (${change.rule}${path})`;
};

const outcome = (element: 'failure' | 'error', changes: readonly FoundChange[]): string[] => {
  if (changes.length === 0) return [];
  const text = xml(changes.map(line).join('\n'));
  return [
    `      <${element} message="${xml(countText(changes))}" type="${worstOf(changes).level}">${text}</${element}>`,
  ];
};

const testcase = (
  tool: string,
  changes: readonly FoundChange[],
  suite: string,
  bearingOf: (change: FoundChange) => Bearing,
): string => {
  const of = (bearing: Bearing): FoundChange[] => changes.filter((change) => bearingOf(change) === bearing);
  const told = of('told');
  const head = `    <testcase name="${xml(visible(tool))}" classname="${xml(suite)}" time="0"`;
  if (changes.length === 0) return `${head}/>`;
  return present([
    `${head}>`,
    ...outcome('failure', of('failed')),
    ...outcome('error', of('not-checked')),
    told.length > 0 && `      <system-out>${xml(told.map(line).join('\n'))}</system-out>`,
    '    </testcase>',
  ]).join('\n');
};

/** JUnit XML as CI systems read it: a test for each tool, in the order of AFTER, then for tools that are gone. */
export const junit: Format = (changes, { before, after, warnings, bearingOf = fails }) => {
  const byTool = new Map<string, FoundChange[]>();
  for (const tool of [...after.tools, ...before.tools]) byTool.set(tool.name, []);
  for (const change of changes) byTool.set(change.tool, [...(byTool.get(change.tool) ?? []), change]);
  // A tool that is gone is not a test if --level or --ignore left out its change.
  const now = new Set(after.tools.map(({ name }) => name));
  const cases = [...byTool].filter(([tool, found]) => now.has(tool) || found.length > 0);
  const countOf = (bearing: Bearing): number =>
    cases.filter(([, found]) => found.some((change) => bearingOf(change) === bearing)).length;
  const suite = `tool contracts of ${visible(after.file, { max: 200 })}`;
  const found = `failures="${countOf('failed')}" errors="${countOf('not-checked')}"`;
  const counts = `tests="${cases.length}" ${found} skipped="0" time="0"`;
  return present([
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="konnichiwagwan" ${counts}>`,
    `  <testsuite name="${xml(suite)}" ${counts}>`,
    ...cases.map(([tool, changed]) => testcase(tool, changed, suite, bearingOf)),
    warnings.length > 0 && `    <system-err>${xml(warnings.map((text) => visible(text)).join('\n'))}</system-err>`,
    '  </testsuite>',
    '</testsuites>',
  ]).join('\n');
};
