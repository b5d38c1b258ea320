import { LIMITS } from '../contract/read.ts';
import { isObject, type Json, type JsonObject } from '../contract/types.ts';
import { fieldsOf } from './seal.ts';
import { LOCKFILE_VERSION, type Lock } from './types.ts';

/**
 * Characters that are invisible, or change the direction of text: a reviewer must see the same text as the model. Fixed
 * ranges instead of Unicode properties, which grow with Node: the same contracts must always give the same bytes.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each of them is looked for alone
  /[\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3164\ue000-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|\ud82f[\udca0-\udca3]|\ud834[\udd73-\udd7a]|[\udb40-\udb43\udb80-\udbff][\udc00-\udfff]/g;

const escaped = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

const scalar = (value: Json): string => JSON.stringify(value).replace(HIDDEN, escaped);

/** Thrown for more than the lockfile may hold. */
export class LockTooLarge extends Error {}

/**
 * JSON with sorted keys, indented by two spaces. `JSON.stringify` would put keys that look like numbers first, and has no
 * limit, although indentation turns a short, deeply nested text into a long one.
 * @param most limit in UTF-16 units
 * @throws LockTooLarge
 */
export const pretty = (value: Json, most = LIMITS.bytes): string => {
  const parts: string[] = [];
  let length = 0;
  const write = (text: string): void => {
    length += text.length;
    if (length > most) throw new LockTooLarge(`more than ${most} bytes`);
    parts.push(text);
  };
  const members = (open: string, close: string, entries: [string, Json][], indent: string): void => {
    write(open);
    for (const [index, [head, member]] of entries.entries()) {
      write(`${index === 0 ? '' : ','}\n${indent}  ${head}`);
      put(member, `${indent}  `);
    }
    write(entries.length === 0 ? close : `\n${indent}${close}`);
  };
  const put = (one: Json, indent: string): void => {
    if (Array.isArray(one)) {
      const items = one.map((item): [string, Json] => ['', item]);
      members('[', ']', items, indent);
    } else if (isObject(one)) {
      const object = one as JsonObject;
      const entries = Object.keys(object)
        .sort()
        .map((key): [string, Json] => [`${scalar(key)}: `, object[key] as Json]);
      members('{', '}', entries, indent);
    } else write(scalar(one));
  };
  put(value, '');
  return parts.join('');
};

/** The lockfile's text; the same pins always give the same bytes. @throws LockTooLarge */
export const renderLock = (lock: Lock): string => {
  const members = (entries: Iterable<[string, object]>): Json => Object.fromEntries(entries) as unknown as Json;
  const servers = [...lock].map(([server, pins]): [string, Json] => {
    const { removed, refused } = pins;
    const tools = [...pins].map(([tool, pin]): [string, object] => [
      tool,
      { ...pin, contract: fieldsOf(pin.contract) },
    ]);
    return [
      server,
      {
        tools: members(tools),
        ...(removed ? { removed: members(removed) } : {}),
        ...(refused ? { refused: members(refused) } : {}),
      },
    ];
  });
  return `${pretty({ lockfileVersion: LOCKFILE_VERSION, servers: Object.fromEntries(servers) })}\n`;
};
