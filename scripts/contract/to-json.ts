/** A value of JSON as text. JSON.stringify overflows the stack for one that is nested some thousand levels deep. */
export const toJson = (value: unknown): string => {
  try {
    return JSON.stringify(value);
  } catch {
    return deepToJson(value);
  }
};

const deepToJson = (value: unknown): string => {
  const written: string[] = [];
  const rest: ({ text: string } | { value: unknown })[] = [{ value }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if ('text' in next) {
      written.push(next.text);
      continue;
    }
    const { value: one } = next;
    if (typeof one !== 'object' || one === null) {
      written.push(JSON.stringify(one));
      continue;
    }
    const isList = Array.isArray(one);
    written.push(isList ? '[' : '{');
    rest.push({ text: isList ? ']' : '}' });
    const members = Object.entries(one);
    for (let at = members.length - 1; at >= 0; at--) {
      const [key, inner] = members[at] as [string, unknown];
      rest.push({ value: inner }, { text: `${at > 0 ? ',' : ''}${isList ? '' : `${JSON.stringify(key)}:`}` });
    }
  }
  return written.join('');
};
