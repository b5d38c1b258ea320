// What people approved and refused between two lockfiles: who, when and why, for reviewers of a pull request.
import { labelOf } from '../contract/label.ts';
import { markdownText } from '../reports/escape.ts';
import { visible } from '../text/visible.ts';
import { type Approved, type Consent, consentsIn, type Lock, type Refused } from './types.ts';

/** One approval, by the label of its tool. */
export interface ApprovedTool extends Approved {
  server: string;
  tool: string;
}

/** The last approval of each pin that was changed, added or removed. Pins without a record are separate findings. */
export const approvedSince = (before: Lock, now: Lock): ApprovedTool[] =>
  [...now].flatMap(([server, pins]) => {
    const old = before.get(server);
    const changed = [...pins].filter(([tool, { hash, approved }]) => {
      const was = old?.get(tool);
      return was?.hash !== hash || JSON.stringify(was.approved) !== JSON.stringify(approved);
    });
    // A tool that is pinned again may keep an older removal.
    const removed = [...(pins.removed ?? [])].filter(([tool]) => old?.has(tool) && !pins.has(tool));
    return [...changed, ...removed].flatMap(([tool, { approved }]) =>
      approved === undefined ? [] : [{ server, tool, ...approved }],
    );
  });

/** One refusal, by the label of its tool. */
export interface RefusedTool extends Omit<Refused, 'seal'> {
  server: string;
  tool: string;
}

/** The refusals that the newer lockfile has and the older one has not. */
export const refusedSince = (before: Lock, now: Lock): RefusedTool[] =>
  [...now].flatMap(([server, { refused = new Map<string, Refused>() }]) =>
    [...refused].flatMap(([tool, { seal, ...one }]) =>
      before.get(server)?.refused?.get(tool)?.seal === seal ? [] : [{ server, tool, ...one }],
    ),
  );

const said = ({ by, at, why }: Consent): string =>
  `${visible(by, { max: 200 })}, ${at.slice(0, 10)}${why === undefined ? ', without a reason' : `: ${visible(why, { max: 500 })}`}`;

const bothOf = (one: ApprovedTool | RefusedTool): Consent[] => ('diff' in one ? consentsIn(one) : [one]);

/** With the beginning of the hash where one contract alone is refused. */
const labelOfTool = (one: ApprovedTool | RefusedTool): string =>
  `${visible(labelOf(one.server, one.tool), { max: 200 })}${'hash' in one && one.hash ? `@${visible(one.hash.slice(0, 12), { max: 12 })}` : ''}`;

const row = (one: ApprovedTool | RefusedTool): string => {
  const consents = bothOf(one).map((consent) => markdownText(said(consent)));
  return `| ${markdownText(labelOfTool(one))} | ${consents.join('<br>')} |`;
};

const table = (heading: string, rows: readonly (ApprovedTool | RefusedTool)[]): string[] =>
  rows.length === 0
    ? []
    : [`#### ${heading}`, '', '| Tool | By, when and why |', '| --- | --- |', ...rows.map(row), ''];

/** Tables for a pull request; empty where nothing was approved or refused. */
export const decidedMarkdown = (approved: readonly ApprovedTool[], refused: readonly RefusedTool[]): string =>
  [...table('Approved', approved), ...table('Refused', refused)].slice(0, -1).join('\n');

/** The same, in lines. */
export const decidedLines = (approved: readonly ApprovedTool[], refused: readonly RefusedTool[]): string[] => [
  ...approved.flatMap((one) => bothOf(one).map((consent) => `${labelOfTool(one)}: approved by ${said(consent)}`)),
  ...refused.map((one) => `${labelOfTool(one)}: refused by ${said(one)}`),
];
