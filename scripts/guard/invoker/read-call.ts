import { NotAToolList, parseBounded } from '../../contract/read.ts';
import { isObject, type Json, type JsonObject, own } from '../../contract/types.ts';
import { quoteName } from '../../text/quote.ts';
import { type Shown, say } from '../../text/shown.ts';
import { visible } from '../../text/visible.ts';
import type { InnerCall, Invoker } from './types.ts';

type ReadArguments = { args: JsonObject } | { unreadable: Shown };

/** Whether there are no arguments: models leave them out, or send an empty text or `null`. */
const isNothing = (given: Json | undefined): boolean =>
  given === undefined || given === null || (typeof given === 'string' && given.trim() === '');

const readArguments = (given: Json | undefined, where: Shown): ReadArguments => {
  if (isNothing(given)) return { args: {} };
  let value = given;
  if (typeof given === 'string') {
    try {
      value = parseBounded(given);
    } catch (error) {
      const why = error instanceof NotAToolList ? error.message.replace(/^\/: /, '') : 'is not JSON';
      return { unreadable: say`${where} is a text that ${visible(why, { max: 200 })}` };
    }
  }
  if (!isObject(value)) return { unreadable: say`${where} must be a JSON object with the parameters of the tool` };
  return { args: value as JsonObject };
};

/** The inner call in the arguments of an invoker; undefined if they name no tool. */
export const readInnerCall = (invoker: Invoker, outer: JsonObject): InnerCall | undefined => {
  const tool = own(outer, invoker.tool);
  if (typeof tool !== 'string' || tool === '') return undefined;
  const server = invoker.server === undefined ? undefined : own(outer, invoker.server);
  const read = readArguments(own(outer, invoker.arguments), quoteName(invoker.arguments));
  const known = new Set([invoker.server, invoker.tool, invoker.arguments, ...invoker.others]);
  const beside = Object.fromEntries(Object.entries(outer).filter(([name]) => !known.has(name)));
  return {
    invoker,
    tool,
    ...(typeof server === 'string' && server !== '' ? { server } : {}),
    args: {},
    ...read,
    beside,
    outer,
  };
};
