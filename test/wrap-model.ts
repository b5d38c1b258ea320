// A model of wrap: from what the host got and what the server runs, it derives the possible outcomes of a call. It does not
// know how wrap works, and only judges simple schemas: parameters with a type, words, and whether they are required.

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

/** The forms that a tool takes in turn. The first is the pinned one if there is a lockfile. */
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

/** `silent`: the call is sent. `told`: it is sent, and the model gets a notice. `stopped`: it is not sent. */
export type Outcome = 'silent' | 'told' | 'stopped';

/** Whether a form takes these arguments. */
export const fits = ({ parameters, open }: Form, args: Args): boolean =>
  Object.entries(parameters).every(([key, { type, required }]) =>
    Object.hasOwn(args, key) ? typeof args[key] === type : !required,
  ) &&
  (open || Object.keys(args).every((key) => Object.hasOwn(parameters, key)));

/** Whether a call uses a parameter that was declared before and no longer is. */
const saysWhatIsGone = (served: Form, live: Form, args: Args): boolean =>
  Object.keys(args).some((key) => Object.hasOwn(served.parameters, key) && !Object.hasOwn(live.parameters, key));

const withoutWords = ({ parameters, open }: Form): Form => ({
  parameters: Object.fromEntries(Object.entries(parameters).map(([key, one]) => [key, { ...one, words: '' }])),
  open,
});

const isSame = (one: Form, other: Form): boolean => JSON.stringify(one) === JSON.stringify(other);

const meansOther = (served: Form, live: Form, args: Args): boolean =>
  Object.keys(args).some((key) => {
    const [had, has] = [served.parameters[key], live.parameters[key]];
    return had !== undefined && has !== undefined && had.words !== has.words;
  });

/** Whether a call uses the new name of a parameter, whose words are others as well. */
const meansOtherByNewName = (served: Form, live: Form, args: Args): boolean => {
  const lacking = (some: Form, others: Form) =>
    Object.keys(some.parameters).filter((key) => !Object.hasOwn(others.parameters, key));
  const [[from, ...moreGone], [to, ...moreCame]] = [lacking(served, live), lacking(live, served)];
  if (from === undefined || to === undefined || moreGone.length + moreCame.length > 0) return false;
  const [had, has] = [served.parameters[from], live.parameters[to]];
  return Object.hasOwn(args, to) && had?.type === has?.type && had?.words !== has?.words;
};

export interface Situation {
  mode: 'guard' | 'strict';
  isLocked: boolean;
  /** Indices of the forms that the host got for the tool. */
  served: ReadonlySet<number>;
  /** The form that the server runs; null if it has no such tool, undefined if it does not answer. */
  live: number | null | undefined;
  args: Args;
  /** Whether the call cannot be read. */
  isUnread: boolean;
  /** Whether the last stop of this tool was for this form, before the call was made: then the model may know all of the change. */
  wasTold: boolean;
  /** The form that the last stop named, which the model may go by from then on; undefined if there was none. */
  named?: number | undefined;
}

/** The possible outcomes of a call by the forms that the host got. */
const allowedByServed = (about: Situation): readonly Outcome[] => {
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
  // A host that was given the new list last knows the new name from there.
  const isListed = wasTold || served.has(live);
  if (before.some((one) => meansOtherByNewName(one, now, args))) return isListed ? ['silent', 'stopped'] : ['stopped'];
  return ['silent'];
};

/** The possible outcomes of a call. */
export const allowed = (about: Situation): readonly Outcome[] => {
  const { live, args, isUnread, named } = about;
  const found = allowedByServed(about);
  if (named === undefined || typeof live !== 'number' || named === live || found.includes('told')) return found;
  // A stop names parameters, and no words.
  const [told, now] = [withoutWords(FORMS[named] as Form), withoutWords(FORMS[live] as Form)];
  if (isUnread) return [...found, about.mode === 'strict' ? 'stopped' : 'told'];
  if (isSame(told, now)) return found;
  if (!fits(now, args)) return fits(told, args) ? ['stopped'] : [...found, 'stopped'];
  return saysWhatIsGone(told, now, args) ? ['stopped'] : found;
};
