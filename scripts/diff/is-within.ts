/** Whether some texts stand among others in the same order. */
export const isWithin = (texts: readonly string[], others: readonly string[]): boolean => {
  let at = 0;
  for (const other of others) if (at < texts.length && texts[at] === other) at++;
  return at === texts.length;
};
