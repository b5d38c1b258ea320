/** A definition that no client could read. `path` is the JSON Pointer of what is wrong. */
export class DefinitionError extends TypeError {
  override readonly name = 'DefinitionError';
  constructor(
    readonly path: string,
    why: string,
  ) {
    super(`${path}: ${why}`);
  }
}

/** A payload that was refused, on one line. */
export class PayloadError extends Error {
  override readonly name = 'PayloadError';
}
