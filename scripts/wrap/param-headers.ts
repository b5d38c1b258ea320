import { isObject } from '../contract/types.ts';

const KEY = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const PRIMITIVE = new Set(['string', 'integer', 'boolean']);
const DEEPEST = 16;

/** A text as the value of a header: unchanged if HTTP allows that, else in base64. */
export const toHeaderText = (text: string): string => {
  const isPlain = /^[\t\x20-\x7e]+$/.test(text) && text === text.trim() && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
};

const declaredIn = (schema: unknown, path: string[] = []): [path: string[], header: string][] => {
  if (!isObject(schema) || !isObject(schema.properties) || path.length > DEEPEST) return [];
  return Object.entries(schema.properties).flatMap(([name, property]) => {
    const here = [...path, name];
    if (!isObject(property)) return [];
    const header = property[KEY];
    const isDeclared = typeof header === 'string' && TOKEN.test(header) && PRIMITIVE.has(String(property.type));
    return [...(isDeclared ? ([[here, header]] as [string[], string][]) : []), ...declaredIn(property, here)];
  });
};

const valueAt = (value: unknown, path: string[]): unknown =>
  path.reduce((inner: unknown, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), value);

/** Arguments that a client repeats in headers, because the tool's schema says so (`x-mcp-header`). */
export class ParamHeaders {
  readonly #declared = new Map<string, [path: string[], header: string][]>();

  /** What the server lists. */
  learn({ tools }: Record<string, unknown>): void {
    if (!Array.isArray(tools)) return;
    for (const tool of tools)
      if (isObject(tool) && typeof tool.name === 'string') {
        const declared = declaredIn(tool.inputSchema);
        if (declared.length > 0) this.#declared.set(tool.name, declared);
        else this.#declared.delete(tool.name);
      }
  }

  /** The headers of a call. */
  of({ name, arguments: args }: Record<string, unknown>): Record<string, string> {
    const headers: Record<string, string> = {};
    for (const [path, header] of this.#declared.get(String(name)) ?? []) {
      const value = valueAt(args, path);
      const isTold = typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value);
      if (isTold) headers[`mcp-param-${header.toLowerCase()}`] = toHeaderText(String(value));
    }
    return headers;
  }
}
