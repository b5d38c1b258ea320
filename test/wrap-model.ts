// A model of wrap: what the host was given, what the server runs, and so what may become of a call. It knows nothing of how wrap
// does it, and judges schemas of one form only: parameters with a type, words, and whether they are required.

interface Parameter {
  type: 'string' | 'number';
  words: string;
  required: boolean;
}

/** A contract: its parameters, and whether others are accepted. */
export interface Form {
  parameters: Record<string, Parameter>;
  open: boolean;
}

const text = (words: string, required = true): Parameter => ({ type: 'string', words, required });

/** The forms that a tool takes in turn. The first is the one that is pinned where there is a lockfile. */
export const FORMS: readonly Form[] = [
  { parameters: { text: text('a line of prose') }, open: false },
  { parameters: { body: text('a line of prose') }, open: false },
  { parameters: { text: text('a line of prose'), more: text('how many copies', false) }, open: false },
  { parameters: { text: text('the key of a record that is deleted') }, open: false },
  { parameters: { text: { type: 'number', words: 'a line of prose', required: true } }, open: true },
  { parameters: { body: text('a line of prose', false) }, open: true },
];

export type Args = Record<string, string | number>;

export const contractOf = (name: string, { parameters, open }: Form): object => ({
  name,
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(parameters).map(([key, { type, words }]) => [key, { type, description: words }]),
    ),
    required: Object.keys(parameters).filter((key) => parameters[key]?.required),
    ...(open ? {} : { additionalProperties: false }),
  },
});

/** `silent`: it is sent as it came. `told`: it is sent, and the model is told of it. `stopped`: it is not sent. */
export type Outcome = 'silent' | 'told' | 'stopped';

/** Whether a form takes these arguments. */
export const fits = ({ parameters, open }: Form, args: Args): boolean =>
  Object.entries(parameters).every(([key, { type, required }]) =>
    Object.hasOwn(args, key) ? typeof args[key] === type : !required,
  ) &&
  (open || Object.keys(args).every((key) => Object.hasOwn(parameters, key)));

/** Whether a call says something that was declared, and is not any more. */
const saysWhatIsGone = (served: Form, live: Form, args: Args): boolean =>
  Object.keys(args).some((key) => Object.hasOwn(served.parameters, key) && !Object.hasOwn(live.parameters, key));

const meansOther = (served: Form, live: Form, args: Args): boolean =>
  Object.keys(args).some((key) => {
    const [had, has] = [served.parameters[key], live.parameters[key]];
    return had !== undefined && has !== undefined && had.words !== has.words;
  });

export interface Situation {
  mode: 'guard' | 'strict';
  isLocked: boolean;
  /** Indices of the forms that the host was given for the tool. */
  served: ReadonlySet<number>;
  /** The form that the server runs; null where it has no such tool, undefined where it does not say. */
  live: number | null | undefined;
  args: Args;
  /** Why it cannot be read, whatever it says. */
  isUnread: boolean;
  /** Whether a call of this tool was stopped since it has this form: then its reader knows all that is to be told. */
  wasTold: boolean;
}

/** What may become of a call. */
export const allowed = (about: Situation): readonly Outcome[] => {
  const { mode, isLocked, served, live, args, isUnread, wasTold } = about;
  const unknown: readonly Outcome[] = isLocked || mode === 'strict' ? ['stopped'] : ['told'];
  if (live === undefined) return unknown;
  if (isLocked && live !== 0) return ['stopped'];
  const strictUnknown: readonly Outcome[] = mode === 'strict' ? ['stopped'] : ['told'];
  if (served.size === 0) return strictUnknown;
  if (live === null) return isUnread ? strictUnknown : ['stopped'];
  if (served.size === 1 && served.has(live)) return ['silent'];
  if (isUnread) return strictUnknown;
  if (mode === 'strict') return ['stopped'];
  const now = FORMS[live] as Form;
  const before = [...served].map((one) => FORMS[one] as Form);
  if (!fits(now, args) || before.some((one) => saysWhatIsGone(one, now, args))) return ['stopped'];
  if (before.some((one) => meansOther(one, now, args))) return wasTold ? ['silent', 'stopped'] : ['stopped'];
  return ['silent'];
};
