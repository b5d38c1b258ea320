/** A name, escaped, as one step of a JSON Pointer (RFC 6901), with its leading slash. */
export const pointer = (name: string): string =>
  /[~/]/.test(name) ? `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` : `/${name}`;

/** The name that a step of a JSON Pointer stands for, unescaped; the step comes without its slash. */
export const nameOf = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

/** The names that a JSON Pointer consists of, unescaped; none for the empty pointer, which is the whole document. */
export const namesIn = (path: string): string[] => path.split('/').slice(1).map(nameOf);

/** A JSON Pointer for people: unchanged or, if it holds escapes, by its names, since `~1tmp~1x` is hard to read. */
export const pointerText = (path: string): string => (path.includes('~') ? namesIn(path).join(' › ') : path);

/** The JSON Pointer to the place that names lead to, from the outside in. */
export const pointerTo = (names: readonly string[]): string => names.map((name) => pointer(name)).join('');
