import { defined } from '../../../contract/defined.ts';
import {
  type AstNode,
  type AstRule,
  argumentsOf,
  type Code,
  callee,
  callOf,
  hasKey,
  kinds,
  literal,
  parts,
  property,
  shortText,
  unwrap,
} from '../code.ts';
import type { OpenBlock, Registration } from '../types.ts';
import { type FoundHandler, handlerOf, importedHandlerOf } from './handler-of.ts';
import { hintsBeside, hintsOf } from './hints.ts';
import { importOf } from './imports.ts';
import { shapeOf } from './shape.ts';

/** A registered tool, with its handler if the registration contains it. */
export interface Registered extends Registration {
  handler?: FoundHandler;
  /** For a twin that our kit makes: the function that gets the parsed payload. */
  forward?: AstNode;
}

const SCHEMAS = ['inputSchema', 'input_schema', 'parameters'];
const HANDLERS = ['handler', 'execute', 'run', 'callback', 'cb'];
/** Functions that register tools: `tool` of SDK 1.x, `registerTool` of 1.x and 2.x, `addTool` and `defineTool` of others. */
const REGISTERS = /^(tool|registerTool|addTool|defineTool)$/;

const TOOLS: AstRule = { kind: 'object', all: [hasKey('name'), hasKey(SCHEMAS.join('|'))] };
/** The same, and functions of our kit that make twins. */
const CALLS = callOf(
  '^(describeTwin|createTwin|tool|registerTool|addTool|defineTool)$|^(?i:(raw|register|with|add)_?(raw|twin))',
);

const first = (object: AstNode | undefined, names: readonly string[]): AstNode | undefined =>
  names.map((name) => property(object, name)).find(Boolean);

/** The shape of a tool's input, and where its schema is. */
const shapeFields = (code: Code, schema: AstNode | undefined): Pick<Registration, 'shape' | 'shapeIn'> => ({
  shape: shapeOf(code, schema),
  ...defined({ shapeIn: schema && importOf(code, schema) }),
});

/** A tool's handler, or where it is. */
const handlerFields = (code: Code, given: AstNode | undefined): Pick<Registered, 'handler' | 'handlerIn'> => {
  const handler = handlerOf(code, given);
  return handler ? { handler } : defined({ handlerIn: importedHandlerOf(code, given) });
};

/** A tool that is described as `{ name: 'a', inputSchema: … }`, anywhere in the file. */
const describedTool = (code: Code, object: AstNode): Omit<Registered, 'block'> | undefined => {
  const tool = literal(code.follow(property(object, 'name')));
  const schema = first(object, SCHEMAS);
  if (tool === undefined || tool === '' || !schema) return undefined;
  return {
    tool,
    place: code.place(object),
    ...shapeFields(code, schema),
    ...hintsOf(code, object, ['annotations']),
    ...handlerFields(code, first(object, HANDLERS)),
  };
};

/** A tool in `server.tool('a', 'words', schema, annotations, handler)` or `server.registerTool('a', { … }, handler)`. */
const calledTool = (code: Code, call: AstNode, args: readonly AstNode[]): Omit<Registered, 'block'> | undefined => {
  const tool = literal(code.follow(args[0]));
  if (tool === undefined || tool === '' || args.length < 2) return undefined;
  const last = args.at(-1);
  const handler = handlerFields(code, last);
  const isHandler = handler.handler !== undefined || (args.length > 2 && code.resolve(last)?.kind() !== 'object');
  const between = args.slice(1, isHandler ? -1 : undefined).filter((arg) => literal(code.follow(arg)) === undefined);
  const config = between.find((arg) => first(code.follow(arg), SCHEMAS));
  const described = config ?? (callee(call).name === 'registerTool' ? between[0] : undefined);
  const hints = hintsOf(code, described, ['annotations']);
  return {
    tool,
    place: code.place(call),
    ...shapeFields(code, config ? first(code.follow(config), SCHEMAS) : between[0]),
    ...(hints.readOnly === undefined ? hintsBeside(code, between) : hints),
    ...(isHandler ? handler : {}),
  };
};

/** The tool whose twin a function of our kit makes, and the options with which it does. */
const kitOptions = (code: Code, name: string, [first, second]: readonly AstNode[]) => {
  if (name === 'describeTwin') return { tool: code.resolve(first) };
  const options = code.resolve(name === 'createTwin' ? first : name === 'rawTwin' ? second : undefined);
  return { tool: code.resolve(property(options, 'tool')), options };
};

/** The twin in `rawTwin(server, { tool, forward })`, `createTwin({ tool, forward })` or `describeTwin(tool)`. */
const kitTwin = (code: Code, call: AstNode, name: string, args: readonly AstNode[]): Registered | undefined => {
  const { tool, options } = kitOptions(code, name, args);
  const named = literal(code.follow(property(tool, 'name')));
  if (named === undefined || named === '') return undefined;
  const forward = handlerOf(code, property(options, 'forward'))?.handler;
  // The call makes the twin from the tool itself, so the two belong together wherever the call is.
  return { tool: `${named}_raw`, place: code.place(call), shape: 'flat', ...defined({ forward }) };
};

/** The block of each array, by ids: arrays that are spread into one another are one block. */
const arrayBlocks = (code: Code, arrays: readonly AstNode[]): Map<number, number> => {
  const into = new Map<number, number>();
  const top = (id: number): number => {
    let at = id;
    for (let steps = 0; steps < 100; steps++) {
      const next = into.get(at);
      if (next === undefined || next === at) break;
      at = next;
    }
    return at;
  };
  for (const array of arrays) {
    for (const part of parts(array)) {
      const spread = part.kind() === 'spread_element' ? code.resolve(parts(part)[0]) : undefined;
      if (spread?.kind() === 'array' && top(spread.id()) !== top(array.id()))
        into.set(top(spread.id()), top(array.id()));
    }
  }
  return new Map(arrays.map((array) => [array.id(), top(array.id())]));
};

/** Finds the tools that a file registers: each object that describes one belongs to the array or the call that takes it. */
class Registrations {
  readonly #found: Registered[] = [];
  readonly #open: OpenBlock[] = [];
  /** Objects that describe a tool and that nothing has taken so far, by their ids. */
  readonly #objects = new Map<number, Omit<Registered, 'block'>>();

  constructor(private readonly code: Code) {}

  find(): { registrations: Registered[]; open: OpenBlock[] } {
    for (const object of this.#all(TOOLS)) {
      const tool = describedTool(this.code, object);
      if (tool) this.#objects.set(object.id(), tool);
    }
    this.#inArrays();
    for (const call of this.#all(CALLS)) this.#inCall(call);
    return { registrations: [...this.#found, ...this.#objects.values()], open: this.#open };
  }

  /** All nodes of a kind, as long as there is time. */
  *#all(rule: AstRule): Generator<AstNode> {
    for (const node of this.code.all(rule)) {
      this.code.check();
      yield node;
    }
  }

  #block(id: number): string {
    return `${this.code.file}#${id}`;
  }

  /** Takes an object that describes a tool into a block. Returns false if it describes none, or was taken before. */
  #take(node: AstNode | undefined, block: string): boolean {
    const tool = node && this.#objects.get(node.id());
    if (!node || !tool) return false;
    this.#objects.delete(node.id());
    this.#found.push({ ...tool, block });
    return true;
  }

  #inArrays(): void {
    if (this.#objects.size === 0) return;
    const arrays = [...this.#all(kinds('array'))];
    const blocks = arrayBlocks(this.code, arrays);
    for (const array of arrays) {
      this.code.check();
      this.#inArray(array, this.#block(blocks.get(array.id()) ?? array.id()));
    }
  }

  #inArray(array: AstNode, block: string): void {
    const elements = parts(array).map((part) => {
      const bare = unwrap(part);
      // `defineTool({ … })` as an element belongs to the array, not to the function around it.
      const isDefined = bare.kind() === 'call_expression' && REGISTERS.test(callee(bare).name);
      return isDefined ? argumentsOf(bare)[0] : bare;
    });
    if (!elements.map((element) => this.#take(this.code.resolve(element), block)).includes(true)) return;
    const isUnread = (element: AstNode | undefined): boolean =>
      element?.kind() === 'spread_element' && !isKnownArray(this.code, element);
    const unread = elements.find(isUnread);
    if (unread) this.#open.push({ block, place: this.code.place(unread) });
  }

  #inCall(call: AstNode): void {
    const { name } = callee(call);
    const block = this.#block(this.code.functionAround(call));
    const args = argumentsOf(call);
    if (REGISTERS.test(name)) {
      this.#registered(call, args, block);
      return;
    }
    const twin = kitTwin(this.code, call, name, args);
    if (twin) this.#found.push(twin);
    // A function that makes twins makes them for the tools of its own block.
    else this.#open.push({ block, place: this.code.place(call) });
  }

  #registered(call: AstNode, args: readonly AstNode[], block: string): void {
    const code = this.code;
    const config = code.resolve(args[0]);
    if (config?.kind() === 'object') {
      if (!this.#take(config, block) && isMadeAtRunTime(code, config))
        this.#open.push({ block, place: code.place(call) });
      return;
    }
    const tool = calledTool(code, call, args);
    if (tool) this.#found.push({ ...tool, block });
    else if (args.length > 1 && literal(code.follow(args[0])) === undefined)
      this.#open.push({ block, place: code.place(call), ...unnamed(code, args) });
  }
}

/** The tools that a file registers, and blocks in which further tools are registered at run time. */
export const registrationsOf = (code: Code): { registrations: Registered[]; open: OpenBlock[] } =>
  new Registrations(code).find();

const isKnownArray = (code: Code, spread: AstNode): boolean => code.resolve(parts(spread)[0])?.kind() === 'array';

/** Whether a name is a parameter or a variable of a loop: callers name the tools. */
const isGiven = (code: Code, name: AstNode | undefined): boolean =>
  name?.kind() === 'identifier' && code.declared(name.text()) === undefined && importOf(code, name) === undefined;

/** Whether a tool whose name is computed is described there, unlike in a loop over tools. Twins and those that read are fine. */
const unnamed = (code: Code, [name, ...args]: readonly AstNode[]): Pick<OpenBlock, 'isTool'> => {
  const config = args.find((arg) => first(code.resolve(arg), SCHEMAS));
  const isFine =
    isGiven(code, name) ||
    /_raw[`'"]$/.test(shortText(name)) ||
    hintsOf(code, config, ['annotations']).readOnly === true;
  // An adapter takes the schema from tools that are described elsewhere.
  const isWritten = /^(flat|structured)$/.test(String(shapeOf(code, first(code.resolve(config), SCHEMAS))));
  return isWritten && !isFine ? { isTool: true } : {};
};

const isMadeAtRunTime = (code: Code, config: AstNode): boolean => {
  const name = property(config, 'name');
  return name !== undefined && literal(code.follow(name)) === undefined;
};
