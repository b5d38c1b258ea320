/** What a text can only clarify that says all that another one said: a list of answers to wrong calls may have gone. */
const ANSWERS = 'error responses:';

/**
 * Whether every longer word of a text occurs in another one: else the other one does not merely clarify it (`clarifies`).
 * Takes a small part of the time, and tells it of most texts that changed.
 */
export const keepsWords = (said: string, says: string): boolean => {
  const [before, after] = [said.toLowerCase(), says.toLowerCase()];
  if (before.includes(ANSWERS)) return true;
  const words = /[a-z]{4,}/g;
  for (let word = words.exec(before); word !== null; word = words.exec(before))
    if (!after.includes(word[0])) return false;
  return true;
};
