// Lines that we cannot read as messages, and that a server may still take for calls: programs differ in what they accept
// as JSON.
import { LONGEST_ANSWER } from '../contract/limits.ts';
import { CALL, idTextOf, type Message, type Parsed } from './message.ts';
import { type Outline, type Outlined, outlineOf } from './outline.ts';

export const NO_JSON = 'the line that it stands in is no valid JSON';
export const TOO_LONG = `it is longer than ${LONGEST_ANSWER / 1024 / 1024} MB`;

/** `tools/call`, also with a slash that is escaped. */
const SAYS_CALL = /tools(?:\\*\/|\\u002f)call/i;

const asMessage = ({ id, name, method }: Outlined, isCall: boolean): Message => ({
  ...(id === undefined || id === 'null' ? {} : { id, idText: idTextOf(id), idSpelled: id }),
  ...(isCall ? { method: CALL } : method === undefined ? {} : { method }),
  params: name === undefined ? {} : { name },
});

/** The calls that an unreadable line seems to hold; undefined if it mentions none. */
export const callsIn = (line: Buffer): Parsed | undefined => {
  if (!SAYS_CALL.test(line.toString('latin1'))) return undefined;
  const { messages, isBatch } = outlineOf(line);
  const isClear = messages.some(({ method }) => method === CALL);
  // The whole line is judged at once, since an unreadable line cannot be taken apart.
  const [first] = isClear ? messages.filter(({ method }) => method === CALL) : messages;
  return { messages: [isBatch || first === undefined ? { method: CALL, params: {} } : asMessage(first, true)] };
};

/** The messages of a line that is too long to be read, as far as they are known by now. */
export const messagesIn = ({ messages }: Outline): Message[] => messages.map((one) => asMessage(one, false));

/** Whether a line, of which only the beginning is known, may hold a call. */
export const mayCall = ({ messages, isBatch }: Outline): boolean =>
  isBatch ||
  messages.some(
    ({ isObject, method, isAnswer }) => isObject && (method === CALL || (method === undefined && !isAnswer)),
  );
