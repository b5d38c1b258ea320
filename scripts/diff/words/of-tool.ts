// What stands in a tool's description beside what the tool does: names of other tools, example calls, and error answers.
import { areOtherForm } from './examples.ts';

/** What may be a name before a description: "## ban_player", "`ban_player` - ". */
const BEGINNING =
  /^(?:#{1,6}[ \t]{1,3})?["'`*]{0,3}([\w./-]{1,80})["'`*]{0,3}(?:[ \t]?(?::|[—–-](?=[ \t]))[ \t]{0,3}|[ \t]{0,3}\n\s{0,9})(?=\S)/;

/** A tool's description without its own name before it. */
export const withoutOwnName = (text: string, name: string): string => {
  const [all = '', before] = BEGINNING.exec(text) ?? [];
  return before === name ? text.slice(all.length) : text;
};

/** The name of a tool, as nothing but code is written. */
const NAME = String.raw`(?:\x60[\w./-]{1,80}\x60|[a-z][a-z\d]{0,60}_\w{1,80})`;
const SEE_ALSO = new RegExp(
  String.raw`(?<=^|[.\n][ \t]{0,9})(?:see also|related(?: tools)?):?[ \t]+${NAME}(?:,?[ \t](?:(?:and|or)[ \t])?${NAME}){0,30}(?:\.(?=\s|$)|(?=[ \t]{0,9}(?:\n|$)))`,
  'gi',
);
/** "Use get_order for a single one." What the tool itself will call or use is another matter. */
const USED = new RegExp(
  String.raw`(?<=(?<!\b(?:automatically|internally|it|we|will|would) )\b(?:call|calling|use|using|follow-up to) (?:the )?)${NAME}(?![\w=]|:\S)(?:\(\))?`,
  'gi',
);
/** Verbs in names of tools. Other names are those of fields, forms or modes: "use snake_case", "use user_id". */
const VERB =
  /(?:^|[_./-])(?:add|analy[sz]e|browse|cancel|check|create|delete|describe|drop|edit|execute|explain|fetch|find|get|inspect|list|load|open|query|read|remove|resolve|run|search|send|set|show|start|stop|submit|update|upload|view|write)(?=$|[_./-])/;
const OF_FIELD =
  /[_-](?:access|at|case|dates?|fields?|formats?|ids?|keys?|levels?|modes?|names?|only|order|paths?|times?|types?|urls?|write)$/;
const isOfTool = (name: string): boolean =>
  /[_./-]/.test(name) &&
  VERB.test(name) &&
  (!OF_FIELD.test(name) || /^(?:find|get|list|resolve|search|set|update)[_-]/.test(name));

/** HTTP errors, which generators list below a description: they concern only calls that fail anyway. */
const ERROR =
  /^[45]\d\d: (?:[45]\d\d|bad request|unauthorized|forbidden|not found|conflict|gone|unprocessable (?:entity|content)|too many requests|internal (?:server )?error|service unavailable)$/i;
const ERRORS = 'Error Responses:';

/** A description without the list of errors at its end. */
const withoutErrors = (text: string): string => {
  if (!text.includes(ERRORS)) return text;
  const lines = text.split('\n');
  const heading = lines.findLastIndex((line) => line.trim() === ERRORS);
  const below = heading > 0 ? lines.slice(heading + 1).filter((line) => line.trim() !== '') : [];
  return below.length > 0 && below.every((line) => ERROR.test(line.trim())) ? lines.slice(0, heading).join('\n') : text;
};

/** A value, with the name of its parameter if that is told: `day="2024-02-29"`, `"day": 1`. */
const ARGUMENT = /(?:(["']?)(\w{1,80})\1\s?[=:]\s?)?("[^"\n]{0,100}"|'[^'\n]{0,100}'|[^\s,()[\]{}'"]{1,100})/g;

/** Arguments in JSON as an example, without objects in them, with nothing behind them in their line. */
const IN_JSON =
  /^[ \t]{0,9}examples?:[ \t]{0,9}\n(?:```[a-z]{0,9}\n)?[ \t]{0,9}\{[^{}]{0,1000}\}(?:\n```)?[ \t]{0,9}$/gim;

/** The values that example calls give for each parameter, or for those of no name. */
const valuesOf = (calls: readonly string[]): Map<string, string[]> => {
  const values = new Map<string, string[]>();
  const given = calls.flatMap((call) => [...call.slice(call.search(/[({]/)).matchAll(ARGUMENT)]);
  for (const [, , name = '', value = ''] of given) {
    const its = values.get(name) ?? [];
    its.push(value.replace(/^(["'])(.*)\1$/, '$2'));
    values.set(name, its);
  }
  return values;
};

/** A call of the tool as an example, behind which nothing is said in its line: alone, or as "Example: find(id=1)". */
const callOf = (tool: string): RegExp =>
  new RegExp(
    String.raw`(?:^[ \t]{0,20}(?:[-*•][ \t]{1,9})?|\b(?:examples?:|e\.g\.,?)[ \t]{1,9})${tool.replace(/\W/g, String.raw`\$&`)}\((?:[^()"'\n]|"[^"\n]{0,200}"|'[^'\n]{0,200}')*\)[.;]?[ \t]{0,9}$`,
    'gim',
  );

/** Two descriptions without calls that are examples, unless these show a value in another form. */
const withoutCalls = (texts: readonly [string, string], tool: string): readonly [string, string] => {
  const ofCall = callOf(tool);
  const isCalled = texts.some((text) => text.includes(`${tool}(`));
  const examplesIn = (text: string): string[] => [
    ...(isCalled ? (text.match(ofCall) ?? []) : []),
    ...(text.match(IN_JSON) ?? []),
  ];
  const [old, now] = texts.map((text) => valuesOf(examplesIn(text))) as [Map<string, string[]>, Map<string, string[]>];
  if ([...old].some(([name, values]) => areOtherForm(values, now.get(name)))) return texts;
  return texts.map((text) => {
    const called = isCalled ? text.replace(ofCall, '') : text;
    const rest = called.replace(IN_JSON, '');
    return rest === called ? rest : rest.trimEnd();
  }) as [string, string];
};

/** A description without what is never about a call: error answers, and names of other tools that may be of interest. */
export const withoutAsides = (text: string): string => withoutErrors(text).replace(SEE_ALSO, '');

/**
 * Two descriptions of a tool without what rarely says something of it: names of tools to use instead, and example calls.
 * @param parameters those of both contracts: "use" may speak of one of them
 */
export const ofTool = (
  texts: readonly [string, string],
  tool: string,
  parameters: readonly string[],
): readonly [string, string] => {
  const own = new Set([tool, ...parameters]);
  const withoutOthers = (text: string): string =>
    text.replace(USED, (name) => {
      const bare = name.replace(/[`()]/g, '');
      return own.has(bare) || !isOfTool(bare) ? name : 'another tool';
    });
  return withoutCalls([withoutOthers(texts[0]), withoutOthers(texts[1])], tool);
};
