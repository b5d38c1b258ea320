/** Input that cannot be compared: exit code 2. Text of the input in the message still has to be made safe. */
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
