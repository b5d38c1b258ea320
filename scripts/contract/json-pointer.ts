/** A name as one step of a JSON Pointer (RFC 6901), with the slash before it. */
export const pointer = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The name that a step without its slash stands for. */
export const nameOf = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

/** The names on the way that a JSON Pointer describes; none for the whole document, which is the empty text. */
export const namesIn = (path: string): string[] => path.split('/').slice(1).map(nameOf);

/** The JSON Pointer that describes a way of names. */
export const pointerTo = (names: readonly string[]): string => names.map((name) => pointer(name)).join('');
