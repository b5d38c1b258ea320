/** Whether a text matches a pattern in which `*` stands for any text. Never exponential: patterns may be a repository's. */
export const glob = (pattern: string, text: string): boolean => {
  let [at, star, mark, p] = [0, -1, 0, 0];
  while (at < text.length) {
    if (pattern[p] === '*') {
      star = p++;
      mark = at;
    } else if (pattern[p] === text[at]) {
      p++;
      at++;
    } else if (star >= 0) {
      p = star + 1;
      at = ++mark;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
};
