import { isObject, own } from '../contract/types.ts';
import { isKeptFromServers } from '../servers/entry.ts';
import { projectEntry, projectKey } from '../servers/folder.ts';
import { names } from '../servers/settings.ts';
import { readWrap, startsOurs } from '../servers/wrapped.ts';
import { quoteName, quoteText } from '../text/quote.ts';
import type { HostEntry } from './entries.ts';
import { urlKeyOf, wordsOf } from './entry-text.ts';

/** Types of programs, and of servers behind a URL, as the hosts call them. */
const PROGRAMS = new Set([undefined, 'stdio', 'local']);
const REMOTES = new Set([undefined, 'http', 'streamable-http', 'streamableHttp', 'streamable_http', 'remote']);

const HELPER = 'prints its headers with a program, which wrap cannot run';
const SIGN_IN = 'wrap `npx mcp-remote URL` instead';
/** Members of an entry with a URL that a program could not replace, or that make the host sign in. */
const SIGN_INS: Record<string, string> = {
  headersHelper: HELPER,
  http_headers_helper: HELPER,
  oauth: `signs in (oauth): ${SIGN_IN}`,
  authProviderType: `signs in (authProviderType): ${SIGN_IN}`,
  auth: `signs in (auth): ${SIGN_IN}`,
};

/** A name of a header: RFC 9110, and never a character that ends a name in our options. */
const HEADER = /^[!#$%&'*+.^`|~\w-]+$/;

/** Whether its host does not start a server. `folder`: where the host is. */
export const isDisabled = ({ place, name, value, whole }: HostEntry, folder: string): boolean => {
  if (own(value, 'disabled') === true || own(value, 'enabled') === false) return true;
  if (place.host !== 'claude') return false;
  const entry = projectEntry(own(whole, 'projects'), projectKey(folder));
  return [...names(own(entry, 'disabledMcpServers')), ...names(own(entry, 'disabledMcpjsonServers'))].includes(name);
};

/** Whether a host reaches a URL by HTTP with SSE, the transport of MCP's first revision; tried, if no type says so. */
const isSse = ({ place, value }: HostEntry, key: string): boolean => {
  const type = own(value, 'type') ?? own(value, 'transportType');
  if (type !== undefined) return type === 'sse';
  return (place.host === 'qwen' && key === 'url') || place.host === 'cline';
};

const wrongUrl = ({ place, value }: HostEntry, url: string): string | undefined => {
  const { host, form } = place;
  const type = own(value, 'type') ?? own(value, 'transportType');
  if (!REMOTES.has(type as string | undefined)) return `has the type ${quoteText(String(type), 40)}`;
  // A placeholder may stand for all of it.
  if (!/^(https?:\/\/|\$|\{)/.test(url)) return 'has a URL that is neither http: nor https:';
  if (own(value, 'transportType') !== undefined) return 'has a transportType, which no program has: use `type`';
  if (own(value, 'command') !== undefined) return 'has both a command and a URL';
  if (own(value, form.env) !== undefined) return `has both a URL and ${form.env}, which is for programs`;
  const special = Object.keys(SIGN_INS).find((key) => own(value, key) !== undefined);
  if (special !== undefined) return SIGN_INS[special];
  const given = own(value, 'headers');
  const headers = given === undefined ? (own(value, 'http_headers') ?? {}) : given;
  if (!isObject(headers) || !Object.values(headers).every((one) => typeof one === 'string'))
    return 'has headers that are not texts';
  const odd = Object.keys(headers).find((name) => !HEADER.test(name));
  if (odd !== undefined) return `has a header ${quoteText(odd, 40)}, which is no name of a header`;
  if (host !== 'claude') return undefined;
  for (const text of [url, ...(Object.values(headers) as string[])])
    for (const [, name = ''] of text.matchAll(/\$\{([A-Za-z_]\w*)/g))
      if (isKeptFromServers(name)) return `names ${quoteName(name)}, which Claude Code keeps from servers`;
  return undefined;
};

/** Why an entry cannot be wrapped; undefined if it can. `folder`: where we were started. */
export const whyNotWrapped = (entry: HostEntry, folder: string): string | undefined => {
  const { value, place } = entry;
  if (!isObject(value)) return 'is not an object';
  const words = wordsOf(value, place.form);
  if (words && readWrap(words)) return 'is wrapped already';
  if (words && startsOurs(words)) return 'is konnichiwagwan itself';
  if (isDisabled(entry, folder)) return 'is disabled';
  const key = urlKeyOf(value, place.form);
  if (key !== undefined && isSse(entry, key))
    return 'is reached by HTTP with SSE, which wrap does not speak: change it to Streamable HTTP where its server speaks that, else wrap `npx mcp-remote URL --transport sse-only`';
  if (key !== undefined) return wrongUrl(entry, value[key] as string);
  if (!PROGRAMS.has(value.type as string | undefined)) return `has the type ${quoteText(String(value.type), 40)}`;
  return words ? undefined : 'has neither a command with texts as arguments nor a URL';
};
