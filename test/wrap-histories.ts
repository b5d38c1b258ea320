// Random histories of messages through wrap, checked against the model in wrap-model.ts. A function connects the two sides,
// so the same histories can go over any transport.
import fc from 'fast-check';
import { type Args, allowed, contractOf, FORMS, type Form, fits, type Outcome } from './wrap-model.ts';

/** The connection between a host and a server. */
interface Connection {
  /** The host sends bytes. */
  send(bytes: Buffer): void;
  /** The lines that the host got so far. */
  lines: readonly string[];
  end(): Promise<void>;
}

interface Setup {
  mode: 'guard' | 'strict';
  isLocked: boolean;
}

/** @param server takes lines of the host, and sends lines */
export type Connect = (setup: Setup, server: ScriptedServer) => Connection;

const TOOLS = ['note', 'send'] as const;
type Tool = (typeof TOOLS)[number];

/** How the server answers wrap's own `tools/list` requests. */
const WAYS = ['well', 'late', 'error', 'oddly', 'without end'] as const;
type Way = (typeof WAYS)[number];

const INVOKER = {
  name: 'mcp_invoke_tool',
  inputSchema: {
    type: 'object',
    properties: { server_name: { type: 'string' }, tool_name: { type: 'string' }, arguments: { type: 'object' } },
    required: ['server_name', 'tool_name'],
  },
};
const LISTER = { name: 'list_tools', inputSchema: { type: 'object' } };
const INNER = 'inner';

/** A server that follows a history, and remembers what reached it. */
class ScriptedServer {
  say: (line: string) => void = () => {};
  /** By the name of the tool; null: it has no such tool. */
  readonly forms = new Map<string, number | null>([...TOOLS, INNER].map((name) => [name, 0]));
  way: Way = 'well';
  isPaged = false;
  /** How often each call reached it, by the call's mark. */
  readonly arrived = new Map<number, number>();
  /** The ids of requests as they were written, by their marks. */
  readonly ids = new Map<number, string>();
  #late: string[] = [];

  hear(line: string): void {
    const value = JSON.parse(line.replace(/^\ufeff/, '').replaceAll('NaN', '"NaN"'));
    for (const message of Array.isArray(value) ? value : [value]) this.#take(message);
  }

  /** Sends what it held back. */
  flush(): void {
    for (const line of this.#late.splice(0)) this.say(line);
  }

  // biome-ignore lint/suspicious/noExplicitAny: messages of any form
  #take({ id, method, params }: any): void {
    if (method === undefined) return;
    const mark: number | undefined = params?._meta?.mark;
    if (method === 'tools/call' && mark !== undefined) this.arrived.set(mark, (this.arrived.get(mark) ?? 0) + 1);
    if (id === undefined) return;
    const written = mark === undefined ? JSON.stringify(id) : this.ids.get(mark);
    const answer = (result: object): string => `{"id":${written},"jsonrpc":"2.0","result":${JSON.stringify(result)}}`;
    const isOurs = mark === undefined;
    if (method === 'tools/list' && isOurs && this.way !== 'well') this.#answerBadly(answer, written as string);
    else if (method === 'tools/list') this.say(answer(this.#page(params?.cursor)));
    else if (method === 'tools/call' && params.name === LISTER.name) this.say(answer(this.#inner()));
    else if (method === 'tools/call') this.say(answer({ content: [{ type: 'text', text: 'SERVED' }] }));
    else if (method === 'initialize')
      this.say(
        answer({
          protocolVersion: params.protocolVersion,
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 's', version: '1' },
        }),
      );
    else this.say(answer({}));
  }

  #answerBadly(answer: (result: object) => string, id: string): void {
    if (this.way === 'late') this.#late.push(answer(this.#page(undefined)));
    else if (this.way === 'error') this.say(`{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"},"id":${id}}`);
    else if (this.way === 'oddly') this.say(answer({ tools: 'none' }));
    else this.say(answer({ tools: [], nextCursor: 'more' }));
  }

  #page(cursor: unknown): object {
    const all = [
      ...TOOLS.flatMap((name) => {
        const form = this.forms.get(name);
        return typeof form === 'number' ? [contractOf(name, FORMS[form] as Form)] : [];
      }),
      INVOKER,
      LISTER,
    ];
    if (!this.isPaged) return { tools: all };
    return cursor === undefined ? { tools: all.slice(0, 1), nextCursor: 'rest' } : { tools: all.slice(1) };
  }

  #inner(): object {
    const form = this.forms.get(INNER);
    const list = typeof form === 'number' ? [{ server: 'mail', ...contractOf(INNER, FORMS[form] as Form) }] : [];
    const other = { server: 'mail', name: 'other', inputSchema: { type: 'object' } };
    return { content: [{ type: 'text', text: JSON.stringify([...list, other]) }] };
  }
}

/** How a request is written. */
interface Spelling {
  id: 'number' | 'text' | 'escaped' | 'exponent' | 'huge';
  isIdLast: boolean;
  isEscaped: boolean;
  isMarked: boolean;
}

interface Call {
  tool: Tool | 'nobody' | typeof INNER;
  args: Args;
  spelling: Spelling;
  isUnread: boolean;
  /** The host cancels it right after sending it. */
  isCancelled: boolean;
}

type Step =
  | { do: 'list' }
  | { do: 'list inner' }
  | { do: 'switch'; tool: Tool | typeof INNER; form: number | null; isSaid: boolean }
  | { do: 'way'; way: Way }
  | { do: 'page'; isPaged: boolean }
  | { do: 'calls'; calls: Call[]; isBatch: boolean; around: 'nothing' | 'ping' | 'cancellation' }
  | { do: 'ping' };

export interface History extends Setup {
  steps: Step[];
}

const spelling = fc.record<Spelling>({
  id: fc.constantFrom('number', 'text', 'escaped', 'exponent', 'huge'),
  isIdLast: fc.boolean(),
  isEscaped: fc.boolean(),
  isMarked: fc.boolean(),
});
const args = fc.constantFrom<Args>(
  { text: 'x' },
  { text: 'x' },
  { body: 'x' },
  { text: 'x', more: 'y' },
  { text: 1 },
  { text: 'x', body: 'y' },
  {},
);
const seldom = fc.nat(9).map((one) => one === 0);
const call = fc.record<Call>({
  tool: fc.constantFrom('note', 'note', 'send', 'nobody', INNER),
  args,
  spelling,
  isUnread: seldom,
  isCancelled: seldom,
});
const form = fc.oneof({ weight: 6, arbitrary: fc.nat(FORMS.length - 1) }, { weight: 1, arbitrary: fc.constant(null) });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('list' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('list inner' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('switch' as const),
      tool: fc.constantFrom('note' as const, 'send' as const, INNER as typeof INNER),
      form,
      isSaid: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('way' as const), way: fc.constantFrom(...WAYS, 'well' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('page' as const), isPaged: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('calls' as const),
      calls: fc.array(call, { minLength: 1, maxLength: 3 }),
      isBatch: fc.boolean(),
      around: fc.constantFrom('nothing' as const, 'ping' as const, 'cancellation' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('ping' as const) }) },
);

export const history: fc.Arbitrary<History> = fc.record({
  mode: fc.constantFrom('guard' as const, 'guard' as const, 'strict' as const),
  isLocked: fc.nat(3).map((one) => one === 0),
  steps: fc.array(step, { minLength: 2, maxLength: 10 }),
});

const idFor = (mark: number, { id }: Spelling): string =>
  ({
    number: String(mark),
    text: `"t${mark}"`,
    escaped: `"a\\/b\\u00e9${mark}"`,
    exponent: `${mark}.0e1`,
    huge: `123456789012345678${mark}`,
  })[id];

/** A request as text. */
const written = (mark: number, method: string, params: object, how: Spelling, isUnread = false): string => {
  const id = `"id":${idFor(mark, how)}`;
  const [slash, key] = how.isEscaped ? [method.replace('/', '\\/'), 'm\\u0065thod'] : [method, 'method'];
  const all = JSON.stringify({ ...params, _meta: { mark } });
  const plain = isUnread ? `{"odd":NaN,${all.slice(1)}` : all;
  const parts = [`"${key}":"${slash}"`, `"params":${plain}`];
  return `{${(how.isIdLast ? [...parts, id] : [id, ...parts]).join(how.isMarked ? ' , ' : ',')}}`;
};

const PLAIN: Spelling = { id: 'number', isIdLast: false, isEscaped: false, isMarked: false };

/** One run of a history. */
class Run {
  readonly #setup: Setup;
  readonly #server = new ScriptedServer();
  readonly #connection: Connection;
  /** By tool: the forms that the host got. */
  readonly #served = new Map<string, Set<number>>();
  /** By tool: the form of which the last stop told, unless the host was given another one since. */
  readonly #told = new Map<string, number | null | undefined>();
  /** By tool: the forms of which one was named by the last stop. The answer to a call that is taken back is not seen. */
  readonly #named = new Map<string, Set<number | undefined>>();
  #mark = 1_000;
  #history = '';

  constructor(setup: Setup, connect: Connect) {
    this.#setup = setup;
    this.#connection = connect(setup, this.#server);
  }

  async play({ steps }: History): Promise<void> {
    try {
      await this.#request('initialize', {
        protocolVersion: '2025-03-26',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      });
      for (const one of steps) {
        this.#history = JSON.stringify(one);
        await this.#do(one);
      }
    } finally {
      await this.#connection.end();
    }
  }

  async #do(one: Step): Promise<void> {
    const server = this.#server;
    if (one.do === 'switch') {
      server.forms.set(one.tool, one.form);
      if (one.isSaid) server.say('{"jsonrpc":"2.0","method":"notifications\\/tools\\/list_changed"}');
    } else if (one.do === 'way') {
      server.way = one.way;
      server.flush();
    } else if (one.do === 'page') server.isPaged = one.isPaged;
    else if (one.do === 'ping') await this.#request('ping', {});
    else if (one.do === 'list') await this.#list();
    else if (one.do === 'list inner') {
      const isLearned = await this.#listInner();
      if (isLearned) this.#serve(INNER, server.forms.get(INNER));
    } else await this.#calls(one);
  }

  #serve(tool: string, form: number | null | undefined): void {
    if (typeof form !== 'number') return;
    if (this.#told.get(tool) !== form) this.#told.delete(tool);
    const all = this.#served.get(tool) ?? new Set();
    this.#served.set(tool, all.add(form));
  }

  async #list(): Promise<void> {
    const first = await this.#request('tools/list', {});
    if (first.includes('"nextCursor"')) await this.#request('tools/list', { cursor: 'rest' });
    for (const tool of TOOLS) this.#serve(tool, this.#server.forms.get(tool));
    this.#served.set(INVOKER.name, new Set([0]));
  }

  /** A call of the tool that lists. @returns whether it reached the server */
  async #listInner(): Promise<boolean> {
    const mark = this.#mark;
    await this.#request('tools/call', { name: LISTER.name, arguments: {} });
    return this.#server.arrived.has(mark);
  }

  async #request(method: string, params: object): Promise<string> {
    const mark = this.#next(PLAIN);
    this.#connection.send(Buffer.from(`${written(mark, method, params, PLAIN)}\n`));
    return this.#answer(mark);
  }

  #next(how: Spelling): number {
    const mark = this.#mark++;
    this.#server.ids.set(mark, idFor(mark, how));
    return mark;
  }

  #answers(mark: number): string[] {
    const id = this.#server.ids.get(mark);
    return this.#connection.lines.filter((line) => line.includes(`"id":${id},`));
  }

  async #answer(mark: number): Promise<string> {
    const end = Date.now() + 4_000;
    for (let found = this.#answers(mark); ; found = this.#answers(mark)) {
      if (found[0] !== undefined) return found[0];
      if (Date.now() > end) throw new Error(`no answer to ${this.#server.ids.get(mark)}: ${this.#history}`);
      await new Promise((done) => setImmediate(done));
    }
  }

  async #calls({ calls, isBatch, around }: Extract<Step, { do: 'calls' }>): Promise<void> {
    const marks = calls.map((one) => this.#next(one.spelling));
    // An unreadable call goes into a separate line: it would make the whole batch unreadable.
    const isWhole = isBatch && calls.every(({ isUnread }) => !isUnread);
    const lines = calls.map((one, at) => this.#line(one, marks[at] as number));
    const cancellations = calls.flatMap(({ isCancelled }, at) =>
      isCancelled ? [this.#cancellation(this.#server.ids.get(marks[at] as number) as string)] : [],
    );
    const beside = this.#next(PLAIN);
    const other =
      around === 'ping'
        ? written(beside, 'ping', {}, PLAIN)
        : around === 'cancellation'
          ? this.#cancellation('"no"')
          : '';
    const inOrder = [...(other === '' ? [] : [other]), ...lines];
    const sent = isWhole ? [`[${inOrder.join(', ')}]`] : inOrder;
    const mark = calls[0]?.spelling.isMarked === true && !isBatch ? '\ufeff' : '';
    this.#connection.send(Buffer.from(`${mark}${[...sent, ...cancellations].join('\n')}\n`));
    if (around === 'ping') await this.#answer(beside);
    for (const [at, one] of calls.entries()) if (!one.isCancelled) await this.#answer(marks[at] as number);
    // After this answer, any duplicates have arrived, too.
    await this.#request('ping', {});
    // None of them was made by what a stop of another told.
    const told = new Map(this.#told);
    for (const [at, one] of calls.entries()) {
      this.#check(one, marks[at] as number, this.#expected(one, told));
      this.#learn(one, marks[at] as number);
    }
  }

  #line({ tool, args: given, spelling: how, isUnread }: Call, mark: number): string {
    const params =
      tool === INNER
        ? { name: INVOKER.name, arguments: { server_name: 'mail', tool_name: INNER, arguments: given } }
        : { name: tool, arguments: given };
    return written(mark, 'tools/call', params, how, isUnread);
  }

  #cancellation(id: string): string {
    return `{"jsonrpc":"2.0","method":"notifications\\/cancelled","params":{"requestId": ${id} }}`;
  }

  #live(tool: string): number | null | undefined {
    if (this.#server.way !== 'well') return undefined;
    return this.#server.forms.get(tool) ?? null;
  }

  #expected({ tool, args: given, isUnread }: Call, told: ReadonlyMap<string, unknown>): readonly Outcome[] {
    const wasTold = told.has(tool) && told.get(tool) === this.#server.forms.get(tool);
    const about = { ...this.#setup, args: given, isUnread, wasTold };
    const of = (name: string) => this.#served.get(name) ?? new Set<number>();
    if (tool !== INNER) {
      const named = [...(this.#named.get(tool) ?? [undefined])];
      const outcomes = named.flatMap((one) =>
        allowed({ ...about, served: of(tool), live: this.#live(tool), named: one }),
      );
      return [...new Set(outcomes)];
    }
    // The invoker itself is not pinned, and never changes.
    const outer = allowed({
      ...about,
      isUnread: false,
      served: of(INVOKER.name),
      live: this.#server.way === 'well' ? 0 : undefined,
    });
    if (this.#setup.isLocked) return ['stopped'];
    if (outer[0] === 'stopped' || this.#server.way !== 'well') return outer;
    const live = this.#live(INNER);
    const served = of(INNER);
    if (isUnread || (live === null && served.size === 0)) return this.#unknownInner(outer);
    // The call is validated even if nothing changed.
    const first = served.size === 0 ? new Set([live as number]) : served;
    const isFitting = typeof live === 'number' && fits(FORMS[live] as Form, given);
    const inner = isFitting ? allowed({ ...about, isLocked: false, served: first, live }) : (['stopped'] as const);
    return inner.map((one) => (one === 'silent' && outer[0] === 'told' ? 'told' : one));
  }

  /** The model gets one notice about a tool that no server lists. */
  #unknownInner(outer: readonly Outcome[]): readonly Outcome[] {
    if (this.#setup.mode === 'strict') return ['stopped'];
    return outer[0] === 'told' ? ['told'] : ['told', 'silent'];
  }

  #check(one: Call, mark: number, expected: readonly Outcome[]): void {
    const answers = this.#answers(mark);
    const arrived = this.#server.arrived.get(mark) ?? 0;
    const fail = (what: string): never => {
      throw new Error(`${what}: ${JSON.stringify(one)} in ${this.#history}; answers: ${answers.join(' ')}`);
    };
    if (arrived > 1) fail('it reached the server twice');
    if (one.isCancelled) {
      if (answers.length > 1) fail('a call that was taken back is answered twice');
      return;
    }
    if (answers.length !== 1) fail(`${answers.length} answers`);
    const isTold = (answers[0] as string).includes('konnichiwagwan');
    const outcome: Outcome = arrived === 0 ? 'stopped' : isTold ? 'told' : 'silent';
    if (!expected.includes(outcome)) fail(`it was ${outcome}, and should be ${expected.join(' or ')}`);
  }

  #learn({ tool, isCancelled, isUnread }: Call, mark: number): void {
    const arrived = this.#server.arrived.has(mark);
    const form = this.#server.forms.get(tool);
    if (!arrived && !isCancelled) this.#told.set(tool, form);
    if (!arrived && typeof form === 'number') {
      const isNamed = this.#answers(mark).some((answer) => answer.includes('all it like this'));
      const before = isNamed && !isCancelled ? [] : (this.#named.get(tool) ?? [undefined]);
      this.#named.set(tool, new Set([...before, form]));
    }
    // The tool behind the invoker counts as known once wrap has asked for it.
    const isRefused = this.#setup.isLocked || (this.#setup.mode === 'strict' && !this.#served.has(INVOKER.name));
    const isAsked = this.#server.way === 'well' && !isRefused;
    if (tool === INNER && isAsked && !isUnread) this.#serve(INNER, this.#server.forms.get(INNER));
  }
}

/** @throws if the outcome of a call is not one that the model allows */
export const playHistory = (one: History, connect: Connect): Promise<void> => new Run(one, connect).play(one);
