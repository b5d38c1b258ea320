import { pointerText } from '../contract/json-pointer.ts';
import { type FoundChange, LEVELS, type Level } from '../diff/types.ts';
import { visible } from '../text/visible.ts';
import { countText } from './changes.ts';
import { xml } from './escape.ts';
import { plainMessage } from './place.ts';
import type { Format } from './types.ts';

/** Levels that fail a test, because a call can go wrong; milder ones are reported, and fail no build. */
const FAILING: readonly Level[] = ['breaking', 'unclassified', 'silent'];

const line = (change: FoundChange): string => {
  const path = change.path === '' ? '' : ` at ${visible(pointerText(change.path), { max: 500 })}`;
  return `${change.level}: ${plainMessage(change)} (${change.rule}${path})`;
};

const testcase = (tool: string, changes: readonly FoundChange[], suite: string): string => {
  const failing = changes.filter(({ level }) => FAILING.includes(level));
  const told = changes.filter(({ level }) => !FAILING.includes(level));
  const head = `    <testcase name="${xml(visible(tool))}" classname="${xml(suite)}" time="0"`;
  if (changes.length === 0) return `${head}/>`;
  return [
    `${head}>`,
    ...(failing.length > 0
      ? [
          `      <failure message="${xml(countText(failing))}" type="${LEVELS.find((level) => failing.some((change) => change.level === level))}">${xml(failing.map(line).join('\n'))}</failure>`,
        ]
      : []),
    ...(told.length > 0 ? [`      <system-out>${xml(told.map(line).join('\n'))}</system-out>`] : []),
    '    </testcase>',
  ].join('\n');
};

/** JUnit XML as CI systems read it: a test for each tool, in the order of AFTER, then for tools that are gone. */
export const junit: Format = (changes, { before, after, warnings }) => {
  const byTool = new Map<string, FoundChange[]>();
  for (const tool of [...after.tools, ...before.tools]) byTool.set(tool.name, []);
  const had = new Set(byTool.keys());
  for (const change of changes) byTool.set(change.tool, [...(byTool.get(change.tool) ?? []), change]);
  // A tool that is gone is no test if its change was left out by --level or --ignore.
  const now = new Set(after.tools.map(({ name }) => name));
  const cases = [...byTool].filter(([tool, found]) => now.has(tool) || found.length > 0 || !had.has(tool));
  const failures = cases.filter(([, found]) => found.some(({ level }) => FAILING.includes(level))).length;
  const suite = `tool contracts of ${visible(after.file, { max: 200 })}`;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="0" time="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="konnichiwagwan" ${counts}>`,
    `  <testsuite name="${xml(suite)}" ${counts}>`,
    ...cases.map(([tool, found]) => testcase(tool, found, suite)),
    ...(warnings.length > 0
      ? [`    <system-err>${xml(warnings.map((text) => visible(text)).join('\n'))}</system-err>`]
      : []),
    '  </testsuite>',
    '</testsuites>',
  ].join('\n');
};
