import { defined, present } from '../../contract/defined.ts';
import { xml as escapeXml } from '../../reports/escape.ts';
import { visible } from '../../text/visible.ts';
import type { LintFinding } from '../types.ts';
import { countText, nameOf, placeText } from './group.ts';
import type { LintFormat } from './types.ts';

const xml = (text: string): string => escapeXml(visible(text, { lines: true }));

const line = (finding: LintFinding): string => {
  const where = [finding.path, placeText(finding)].filter(Boolean).join(' ');
  return `${finding.level}: ${finding.message} (${finding.rule}${where === '' ? '' : ` at ${where}`})`;
};

const testcase = (name: string, found: readonly LintFinding[], suite: string): string => {
  const head = `    <testcase name="${xml(name)}" classname="${xml(suite)}" time="0"`;
  const failing = found.filter(({ level }) => level !== 'note');
  const told = found.filter(({ level }) => level === 'note');
  if (found.length === 0) return `${head}/>`;
  return present([
    `${head}>`,
    failing.length > 0 &&
      `      <failure message="${xml(countText(failing))}" type="${failing[0]?.level}">${xml(failing.map(line).join('\n'))}</failure>`,
    told.length > 0 && `      <system-out>${xml(told.map(line).join('\n'))}</system-out>`,
    '    </testcase>',
  ]).join('\n');
};

/** JUnit XML as CI systems read it: a test for each tool, and for each file or list that has findings itself. */
export const junit: LintFormat = (findings, { what, tools, warnings }) => {
  const suite = `lint of ${visible(what, { max: 200 })}`;
  const cases = new Map<string, LintFinding[]>(
    tools.map(({ name, server }) => [nameOf({ tool: name, ...defined({ server }) }), []]),
  );
  for (const finding of findings) {
    const name = nameOf(finding) || finding.place?.file || what;
    cases.set(name, [...(cases.get(name) ?? []), finding]);
  }
  const failures = [...cases.values()].filter((found) => found.some(({ level }) => level !== 'note')).length;
  const counts = `tests="${cases.size}" failures="${failures}" errors="0" skipped="0" time="0"`;
  return present([
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="konnichiwagwan" ${counts}>`,
    `  <testsuite name="${xml(suite)}" ${counts}>`,
    ...[...cases].map(([name, found]) => testcase(name, found, suite)),
    warnings.length > 0 && `    <system-err>${xml(warnings.join('\n'))}</system-err>`,
    '  </testsuite>',
    '</testsuites>',
  ]).join('\n');
};
