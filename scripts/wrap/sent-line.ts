// The line that the server is sent for one of the host.
import { parsedJson } from '../contract/parsed-json.ts';
import { toJson } from '../contract/to-json.ts';
import { CALL, type Message, toBatch } from './message.ts';
import type { HostTools } from './types.ts';
import { argumentsOf, nameOf } from './verdicts.ts';
import type { SentBytes } from './waiting.ts';

const NOTHING = Buffer.alloc(0);

/** The arguments of a call as the host wrote them: JavaScript would round large numbers. */
const spelledArguments = (message: Message): string => {
  const args = toJson(argumentsOf(message).args);
  const spelled = message.argumentsSpelled?.toString('utf8') ?? args;
  // Of a member that stands there twice, the last one was judged.
  return toJson(parsedJson(spelled)) === args ? spelled : args;
};

/** A call under the server's name for the tool; undefined for any other message, and if the name is the same. */
const underServersName = (message: Message, offer: HostTools | undefined): Buffer | undefined => {
  const call = message.method === CALL ? offer?.call(nameOf(message)) : undefined;
  if (call === undefined || message.idSpelled === undefined) return undefined;
  const { arguments: _, ...rest } = message.params;
  const params = toJson({ ...rest, name: call.name }).slice(0, -1);
  const args = call.around(spelledArguments(message));
  return Buffer.from(
    `{"jsonrpc":"2.0","id":${message.idSpelled},"method":"${CALL}","params":${params},"arguments":${args}}}\n`,
  );
};

/** The line without some of its messages, and with calls under the server's names. Empty if nothing is left. */
export const lineWithout = (
  { bytes, parsed }: SentBytes,
  without: ReadonlySet<Message>,
  offer: HostTools | undefined,
): Buffer => {
  const { messages = [], batch } = parsed ?? {};
  if (batch === undefined) {
    const [message] = messages;
    if (message === undefined) return bytes;
    return without.has(message) ? NOTHING : (underServersName(message, offer) ?? bytes);
  }
  const renamed = messages.map((message) => underServersName(message, offer));
  if (without.size === 0 && renamed.every((one) => one === undefined)) return bytes;
  return toBatch(batch.flatMap((one, at) => (without.has(messages[at] as Message) ? [] : [renamed[at] ?? one])));
};
