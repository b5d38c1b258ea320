// A tool's description without what says nothing of the tool: names of others, examples of calls, and errors.
import { areOtherForm } from './examples.ts';

/** The name of a tool, as nothing but code is written. */
const NAME = String.raw`(?:\x60[\w./-]{1,80}\x60|[a-z][a-z\d]{0,60}_\w{1,80})`;
const SEE_ALSO = new RegExp(
  String.raw`(?<=^|[.\n][ \t]{0,9})(?:see also|related(?: tools)?):?[ \t]+${NAME}(?:,?[ \t](?:(?:and|or)[ \t])?${NAME}){0,30}(?:\.(?=\s|$)|(?=[ \t]{0,9}(?:\n|$)))`,
  'gi',
);
/** "Use get_order for a single one." */
const USED = new RegExp(String.raw`(?<=\b(?:call|calling|use|using|follow-up to) (?:the )?)${NAME}(?:\(\))?`, 'gi');

/** HTTP errors, which generators list below a description: they concern only calls that fail anyway. */
const ERROR =
  /^[45]\d\d: (?:[45]\d\d|bad request|unauthorized|forbidden|not found|conflict|gone|unprocessable (?:entity|content)|too many requests|internal (?:server )?error|service unavailable)$/i;
const ERRORS = 'Error Responses:';

/** A description without the list of errors at its end. */
const withoutErrors = (text: string): string => {
  if (!text.includes(ERRORS)) return text;
  const lines = text.split('\n');
  const heading = lines.lastIndexOf(ERRORS);
  const below = heading > 0 ? lines.slice(heading + 1).filter((line) => line.trim() !== '') : [];
  return below.length > 0 && below.every((line) => ERROR.test(line.trim())) ? lines.slice(0, heading).join('\n') : text;
};

const ARGUMENT = /(\w{1,80})\s?[=:]\s?("[^"\n]{0,100}"|'[^'\n]{0,100}'|[^\s,()'"]{1,100})/g;

/** The values that example calls give for each parameter. */
const valuesOf = (calls: readonly string[]): Map<string, string[]> => {
  const values = new Map<string, string[]>();
  for (const [, name = '', value = ''] of calls.flatMap((call) => [...call.matchAll(ARGUMENT)])) {
    const given = values.get(name) ?? [];
    given.push(value.replace(/^(["'])(.*)\1$/, '$2'));
    values.set(name, given);
  }
  return values;
};

/** Two descriptions without lines that only call the tool, unless these show a value in another form. */
const withoutCalls = (texts: readonly [string, string], tool: string): readonly [string, string] => {
  if (!texts.some((text) => text.includes(`${tool}(`))) return texts;
  const isCall = (line: string): boolean => line.trim().startsWith(`${tool}(`) && line.trimEnd().endsWith(')');
  const [had, has] = texts.map((text) => text.split('\n')) as [string[], string[]];
  const [old, now] = [had, has].map((lines) => valuesOf(lines.filter(isCall))) as [
    Map<string, string[]>,
    Map<string, string[]>,
  ];
  if ([...old].some(([name, values]) => areOtherForm(values, now.get(name)))) return texts;
  return [had, has].map((lines) => lines.filter((line) => !isCall(line)).join('\n')) as [string, string];
};

/**
 * Two descriptions of a tool without what says nothing of it.
 * @param parameters those of both contracts: "use" may speak of one of them
 */
export const ofTool = (
  texts: readonly [string, string],
  tool: string,
  parameters: readonly string[],
): readonly [string, string] => {
  const own = new Set([tool, ...parameters]);
  const withoutOthers = (text: string): string =>
    withoutErrors(text)
      .replace(SEE_ALSO, '')
      .replace(USED, (name) => (own.has(name.replace(/[`()]/g, '')) ? name : 'another tool'));
  return withoutCalls([withoutOthers(texts[0]), withoutOthers(texts[1])], tool);
};
