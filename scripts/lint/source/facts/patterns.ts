// How a pattern takes a value apart: `const { title: t = '', ...rest } = body`.
import { type AstNode, type Code, isWithin, keyName, kinds, lastName, parts } from '../code.ts';
import type { Names } from './names.ts';

/** A field that a pattern takes out of a value. */
interface Taken {
  field: string;
  /** Where the pattern names it. */
  part: AstNode;
  /** Where the taken value is used. */
  used: readonly AstNode[];
  /** It is taken only to be left out: it is never used, but the rest beside it is. */
  isDropped: boolean;
}

interface Pattern {
  /** Fields that code does not put back beside the rest. */
  taken: Taken[];
  /** Whether the other fields are bound together. */
  hasRest: boolean;
  /** The name of the rest, if it is the whole value again once the fields are put back: `{ ...all }`. */
  whole?: string;
}

/** The name under which a part of a pattern is known: `t` of `{ title: t = '' }`. */
const boundName = (part: AstNode): string | undefined => {
  const bare = part.kind() === 'object_assignment_pattern' ? parts(part)[0] : part;
  const name = bare?.kind() === 'pair_pattern' ? bare.field('value') : bare;
  const inner = name?.kind() === 'assignment_pattern' ? name.field('left') : name;
  return inner && /identifier/.test(String(inner.kind())) ? inner.text() : undefined;
};

const fieldOf = (part: AstNode): string => {
  const inner = part.kind() === 'object_assignment_pattern' ? parts(part)[0] : part;
  return keyName(inner?.kind() === 'pair_pattern' ? inner.field('key') : inner) ?? '[…]';
};

/** Fields that code puts into an object, and where. */
type Put = { field: string | undefined; node: AstNode }[];

/** What code puts beside the rest, by its name: `{ ...rest, tags }` and `rest.tags = tags`. Each object has its own list. */
const besideRest = (code: Code, rest: string, names: Names): Put[] => {
  const around = (names.at.get(rest) ?? []).map((node) => ({ node, parent: code.parent(node) }));
  const objects = around.flatMap(({ parent }) => (parent?.kind() === 'spread_element' && code.parent(parent)) || []);
  const inObject = (object: AstNode): Put =>
    code
      .all(kinds('pair', 'shorthand_property_identifier'), object)
      .map((node) => ({ field: keyName(node.field('key') ?? node), node }));
  const writes: Put = around.flatMap(({ node, parent }) => {
    const write = parent?.field('object')?.id() === node.id() ? code.parent(parent as AstNode) : null;
    const isWrite = write?.kind() === 'assignment_expression' && write.field('left')?.id() === parent?.id();
    return isWrite ? [{ field: lastName(parent), node: write as AstNode }] : [];
  });
  return [writes, ...objects.map((object) => [...writes, ...inObject(object)])];
};

/** What an object pattern takes out of a value. */
export const takenBy = (code: Code, pattern: AstNode, names: Names): Pattern => {
  const rest = parts(pattern).find((part) => part.kind() === 'rest_pattern');
  const name = rest && parts(rest)[0]?.text();
  const hasRest = rest !== undefined;
  const isUsed = name !== undefined && names.at.has(name);
  const all = parts(pattern)
    .filter((part) => part.id() !== rest?.id())
    .map((part): Taken => {
      const local = boundName(part);
      const used = (local === undefined ? undefined : names.at.get(local)) ?? [];
      return { field: fieldOf(part), part, used, isDropped: isUsed && local !== undefined && used.length === 0 };
    });
  const beside = name === undefined ? [] : besideRest(code, name, names);
  const isBack = ({ field, used }: Taken, put: Put): boolean =>
    put.some((one) => one.field === field && used.some((node) => isWithin(node, [one.node])));
  const taken = all.filter((one) => !beside.some((put) => isBack(one, put)));
  const isWhole = name !== undefined && beside.some((put) => all.every((one) => isBack(one, put)));
  return { taken, hasRest, ...(isWhole ? { whole: name } : {}) };
};

/** The name that the result of `safeParse` gets from a pattern: `value` of `{ data: value }`. */
export const dataOf = (pattern: AstNode): string | undefined => {
  const data = parts(pattern).find((part) => keyName(part.field('key') ?? part) === 'data');
  return data && boundName(data);
};
