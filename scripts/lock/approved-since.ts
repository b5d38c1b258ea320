// What people approved between two lockfiles: who, when and why, for reviewers of a pull request.
import { labelOf } from '../contract/label.ts';
import { markdownText } from '../reports/escape.ts';
import { visible } from '../text/visible.ts';
import type { Approved, Consent, Lock } from './types.ts';

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
    const removed = [...(pins.removed ?? [])].filter(([tool]) => old?.has(tool));
    return [...changed, ...removed].flatMap(([tool, { approved }]) =>
      approved === undefined ? [] : [{ server, tool, ...approved }],
    );
  });

const said = ({ by, at, why }: Consent): string =>
  `${visible(by, { max: 200 })}, ${at.slice(0, 10)}${why === undefined ? ', without a reason' : `: ${visible(why, { max: 500 })}`}`;

const bothOf = ({ second, ...first }: ApprovedTool): Consent[] => [first, ...(second ? [second] : [])];

/** A table for a pull request; empty where nothing was approved. */
export const approvedMarkdown = (approved: readonly ApprovedTool[]): string =>
  approved.length === 0
    ? ''
    : [
        '#### Approved',
        '',
        '| Tool | By, when and why |',
        '| --- | --- |',
        ...approved.map(
          (one) =>
            `| ${markdownText(visible(labelOf(one.server, one.tool), { max: 200 }))} | ${bothOf(one)
              .map((consent) => markdownText(said(consent)))
              .join('<br>')} |`,
        ),
      ].join('\n');

/** The same, in lines. */
export const approvedLines = (approved: readonly ApprovedTool[]): string[] =>
  approved.flatMap((one) =>
    bothOf(one).map(
      (consent) => `${visible(labelOf(one.server, one.tool), { max: 200 })}: approved by ${said(consent)}`,
    ),
  );
