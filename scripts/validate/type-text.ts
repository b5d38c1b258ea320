import type { Json } from '../contract/types.ts';
import { shorten } from '../text/visible.ts';
import type { Aspect, Field } from './types.ts';

const MOST_VALUES = 20;
const LONGEST_VALUE = 80;

const valueText = (value: Json): string => shorten(JSON.stringify(value), LONGEST_VALUE);

/** A field's type: `string`, `enum`, `array<string>`, `integer | null`, `any`. */
const baseText = ({ kinds, nullable, values, items }: Field, depth = 0): string => {
  if (kinds.length === 0) return 'any';
  const words = kinds.map((kind) => {
    if (kind === 'string' && values !== undefined) return 'enum';
    const inside = kind === 'array' && depth < 3 ? items?.() : undefined;
    return inside !== undefined && inside.kinds.length > 0 ? `array<${baseText(inside, depth + 1)}>` : kind;
  });
  return [...words, ...(nullable && kinds.join() !== 'null' ? ['null'] : [])].join(' | ');
};

/**
 * A field in the wire form: its type, and those aspects in which it differs: `string`, `integer, required`,
 * `enum("a", "b")`, `boolean, default true`.
 */
export const typeText = (field: Field, aspects: readonly Aspect[] = []): string => {
  const { values, required, default: preset } = field;
  const shown = values?.slice(0, MOST_VALUES).map(valueText) ?? [];
  const more = (values?.length ?? 0) > shown.length ? [`… ${(values?.length ?? 0) - shown.length} more`] : [];
  const list = aspects.includes('values') && values !== undefined ? `(${[...shown, ...more].join(', ')})` : '';
  return [
    `${baseText(field)}${list}`,
    ...(aspects.includes('required') ? [required === true ? 'required' : 'optional'] : []),
    ...(aspects.includes('default') ? [preset === undefined ? 'no default' : `default ${valueText(preset)}`] : []),
  ].join(', ');
};
