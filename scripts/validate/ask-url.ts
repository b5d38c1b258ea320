import { CommandError, usageError } from '../command/command.ts';
import { defined } from '../contract/defined.ts';
import { httpUrl } from '../contract/http-url.ts';
import type { Contract } from '../contract/types.ts';
import { expand } from '../servers/expand.ts';
import { takeCredentials } from '../sources/credentials.ts';
import { gatewaySource, safeUrl } from '../sources/gateway.ts';
import { mcpSource } from '../sources/mcp/mcp.ts';
import type { Source, SourceAnswer, SourceProblem } from '../sources/source.ts';
import { quoteText } from '../text/quote.ts';

const GATEWAY = '/api/tools/list';
const NAME = '--mcp-server-url';
const HINT = 'pass the http or https URL of an MCP server, or of a gateway (…/api/tools/list)';
// biome-ignore lint/suspicious/noTemplateCurlyInString: the command takes it from the environment
const CREDENTIALS = 'pass credentials that it accepts: --header "Authorization: Bearer ${MY_TOKEN}"';

const usage = (message: string): CommandError => usageError('mcp-validate', message);

/**
 * Reads headers in the form `Name: value`. `${VARIABLE}` is taken from the environment, so that a secret need not be on
 * the command line.
 */
export const readHeaders = (given: readonly string[], env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    given.map((text) => {
      const [, name, value] = /^([\w!#$%&'*+.^|~-]+):[ \t]*(.*)$/.exec(text) ?? [];
      if (name === undefined || value === undefined) throw usage('--header is "Name: value"');
      const expanded = expand(value, env);
      if (expanded.unset.length > 0)
        throw usage(`--header ${name}: the environment variable ${expanded.unset[0]} is not set`);
      if (/[\r\n\0]/.test(expanded.text)) throw usage(`--header ${name} holds a line break`);
      return [name.toLowerCase(), expanded.text];
    }),
  );

interface UrlOptions {
  headers: Record<string, string>;
  project: string;
  /** Milliseconds for each attempt. */
  deadline: number;
}

const askNow = async (source: Source | SourceProblem, deadline: number): Promise<SourceAnswer> =>
  'ask' in source ? source.ask(undefined, deadline) : { status: 'invalid', why: source.why };

const askGateway = async (url: URL, { headers, deadline }: UrlOptions): Promise<SourceAnswer> => {
  // The headers are already expanded: passed as variables, they are not expanded again.
  const named = Object.entries(headers).map(([name, value], index) => ({ name, value, variable: `HEADER_${index}` }));
  const config = {
    url: url.href,
    headers: Object.fromEntries(named.map(({ name, variable }) => [name, `\${${variable}}`])),
  };
  const env = Object.fromEntries(named.map(({ variable, value }) => [variable, value]));
  return askNow(gatewaySource(NAME, config, env), deadline);
};

const askMcp = async (url: URL, { headers, project, deadline }: UrlOptions): Promise<SourceAnswer> => {
  const type: 'http' | 'sse' = url.pathname.replace(/\/+$/, '').endsWith('/sse') ? 'sse' : 'http';
  const launch = { type, url: url.href, headers };
  const server = { name: NAME, scope: 'user' as const, launch, configured: launch, unset: [], state: 'ready' as const };
  return askNow(mcpSource(server, project, false), deadline);
};

/**
 * The tools behind a URL: a gateway's list if the URL ends like one; else over MCP or, if the server does not speak that,
 * the gateway's list below the URL.
 * @throws CommandError if there is no answer that is a tool list
 */
export const toolsBehind = async (text: string, around: UrlOptions): Promise<{ tools: Contract[]; where: string }> => {
  const url = httpUrl(text);
  if (url === undefined)
    throw new CommandError('usage', `${quoteText(text.replace(/\/\/[^/@]*@/, '//…@'), 80)} is no URL to ask`, HINT);
  const where = safeUrl(url);
  // Credentials go into a header to keep them out of messages: `fetch` refuses a URL that has any, and quotes it.
  const credentials = takeCredentials(url);
  if (credentials === null) throw usage('the user or password in --mcp-server-url is not well formed');
  const headers = { ...defined({ authorization: credentials }), ...around.headers };
  const isGateway = url.pathname.replace(/\/+$/, '').endsWith(GATEWAY);
  const first = await (isGateway ? askGateway : askMcp)(url, { ...around, headers });
  const answer = first.status === 'invalid' && !isGateway ? await askGateway(url, { ...around, headers }) : first;
  if (answer.status === 'answered') {
    if (answer.list.partial)
      throw new CommandError('incomplete', `${where} gave a part of its list`, 'ask it over MCP');
    return { tools: answer.list.tools, where };
  }
  // The client's token is for servers of its own settings, and this one was given by its URL.
  const why = 'why' in first ? first.why.replace(', and only Claude Code has the token', '') : 'it gave no list';
  const hint = first.status === 'unaskable' ? CREDENTIALS : HINT;
  throw new CommandError('unreachable', `${quoteText(where, 120)} could not be asked: ${why}`, hint);
};
