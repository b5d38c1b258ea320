import { isObject } from '../contract/types.ts';
import { quoteName } from '../text/quote.ts';
import { twinWithExample } from './describe-twin.ts';
import { DefinitionError, PayloadError } from './errors.ts';
import type * as Kit from './gateway.d.ts';
import { parsePayload } from './payload.ts';

const text = (...texts: string[]) => texts.map((text) => ({ type: 'text', text }));
const failed = (...texts: string[]): Kit.ToolResult => ({ content: text(...texts), isError: true });

/** The text in `payload`. Other arguments are refused, instead of being dropped silently. @throws PayloadError */
const payloadOf = (args: unknown): string => {
  const { payload, ...others } = (isObject(args) ? args : {}) as Record<string, unknown>;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw new PayloadError(`${quoteName(other)} is not a parameter: it belongs into the JSON text of payload`);
  }
  if (typeof payload === 'string') return payload;
  throw new PayloadError(
    `payload must be a string, the JSON text of all arguments${payload ? ', not the arguments' : ''}`,
  );
};

const isResponse = (value: unknown): value is Response =>
  isObject(value) && typeof value.text === 'function' && typeof value.status === 'number';

/** Whether a value is a result of MCP: of a tool, or one that asks the user for more. */
const isResult = (value: unknown): value is Kit.ToolResult =>
  isObject(value) && (Array.isArray(value.content) || typeof value.resultType === 'string');

const toResult = async (outcome: unknown): Promise<Kit.ToolResult> => {
  if (isResult(outcome)) return outcome;
  if (isResponse(outcome)) {
    const body = await outcome.text();
    return outcome.ok ? { content: text(body) } : failed(`HTTP ${outcome.status}`, body);
  }
  if (outcome === undefined) return { content: [] };
  return { content: text(typeof outcome === 'string' ? outcome : JSON.stringify(outcome)) };
};

/** All `issues` that a validator found, else the error's message; neither shortened nor reworded. */
const wordsOf = (error: unknown): string => {
  const { issues, message } = (isObject(error) ? error : {}) as { issues?: unknown; message?: unknown };
  if (Array.isArray(issues)) {
    try {
      return JSON.stringify(issues, null, 2);
    } catch {
      // Then the message is used.
    }
  }
  return typeof message === 'string' ? message : String(error);
};

/** Whether this is a protocol error, which the SDK sends itself. */
const isOfProtocol = (error: unknown): boolean => isObject(error) && Number.isInteger(error.code);

const definitionOf = (tool: Kit.ToolDefinition, options: Kit.TwinDescriptionOptions): Kit.TwinDefinition => {
  const { definition, shown } = twinWithExample(tool, options);
  if (shown !== undefined) return definition;
  throw new DefinitionError(
    '/example',
    `no example of ${quoteName(tool.name)} could be made from its schema: give one`,
  );
};

export const createTwin: typeof Kit.createTwin = ({ tool, forward, toJsonSchema, example, ...limits }) => ({
  definition: definitionOf(tool, { toJsonSchema, example }),
  call: async (args, extra) => {
    try {
      const payload = payloadOf(args);
      return await toResult(await forward(parsePayload(payload, limits), { text: payload, extra }));
    } catch (error) {
      if (isOfProtocol(error)) throw error;
      return failed(wordsOf(error));
    }
  },
});
