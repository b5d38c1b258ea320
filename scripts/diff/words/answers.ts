/** HTTP errors, which generators list below a description: they concern only calls that fail anyway. */
const ANSWER =
  /^[45]\d\d: (?:[45]\d\d|bad request|unauthorized|forbidden|not found|conflict|gone|unprocessable (?:entity|content)|too many requests|internal (?:server )?error|service unavailable)$/i;

const HEADING = 'Error Responses:';

/** A description without the list of such answers at its end. */
export const withoutAnswers = (text: string): string => {
  if (!text.includes(HEADING)) return text;
  const lines = text.split('\n');
  const heading = lines.lastIndexOf(HEADING);
  const below = heading > 0 ? lines.slice(heading + 1).filter((line) => line.trim() !== '') : [];
  return below.length > 0 && below.every((line) => ANSWER.test(line.trim()))
    ? lines.slice(0, heading).join('\n')
    : text;
};
