// Keeps one comment of ours at a pull request: written where there is something to say, and changed in place afterwards.
import { readFileSync } from 'node:fs';

const MARK = '<!-- konnichiwagwan: this comment is changed in place -->';
/** GitHub takes 65,536 characters. */
const LONGEST = 64_000;
const MOST_PAGES = 30;

const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_SERVER_URL, GITHUB_RUN_ID } = process.env;
const { KWG_TOKEN, KWG_PULL_REQUEST, KWG_REPORT, KWG_EXIT, KWG_CHANGED } = process.env;

const ask = async (method, path, body) => {
  const response = await fetch(`${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/${path}`, {
    method,
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${KWG_TOKEN}`,
      'content-type': 'application/json',
      'user-agent': 'konnichiwagwan',
      'x-github-api-version': '2022-11-28',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`${method} of the comment was answered with ${response.status}`);
  return response.json();
};

/** Our comment: one of a bot. Anybody can write the mark, and could change their own comment after us. */
const ours = async () => {
  for (let page = 1; page <= MOST_PAGES; page++) {
    const comments = await ask('GET', `issues/${KWG_PULL_REQUEST}/comments?per_page=100&page=${page}`);
    const found = comments.find(({ body, user }) => user?.type === 'Bot' && body?.startsWith(MARK));
    if (found !== undefined || comments.length < 100) return found;
  }
  return undefined;
};

const textOf = () => {
  const report = KWG_REPORT ? readFileSync(KWG_REPORT, 'utf8') : 'Not everything could be checked.\n';
  const run = `[The run](${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID})`;
  if (report.length <= LONGEST) return `${MARK}\n${report}\n${run}\n`;
  // A part of a report could end inside a table or a fold, so only its first lines are kept.
  return `${MARK}\n${report.split('\n').slice(0, 3).join('\n')}\n\nThe report is too long for a comment; it stands on the page of the run.\n\n${run}\n`;
};

try {
  const found = await ours();
  const body = textOf();
  if (found !== undefined) await ask('PATCH', `issues/comments/${found.id}`, { body });
  else if (KWG_EXIT !== '0' || KWG_CHANGED === '1') await ask('POST', `issues/${KWG_PULL_REQUEST}/comments`, { body });
} catch (error) {
  // A pull request from a fork gets a token that may not write. What was found is on the page of the run all the same.
  console.log(
    `::warning::the comment was not written (${error.message}); it needs the permission pull-requests: write`,
  );
}
