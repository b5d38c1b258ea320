/** Input that cannot be compared: exit code 2. The message is fit for a terminal but for text of the input's own. */
export class NotComparable extends Error {
  /** @param code for machines; @param hint what the user can do */
  constructor(
    readonly code: string,
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}
