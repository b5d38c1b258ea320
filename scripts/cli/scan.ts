import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, CommandError, type Io, isReadByModel, type Outcome, wholeNumber } from '../command/command.ts';
import { lookOf, REPORT_OPTIONS, reported, reportOptions } from '../command/report.ts';
import { present } from '../contract/defined.ts';
import { withoutWords } from '../reports/changes.ts';
import { type ScanReport, scanData, toReport } from '../scan/report.ts';
import { scanFiles } from '../scan/scan-files.ts';
import { type Story, storyOf } from '../scan/story.ts';
import { scanText, verdict } from '../scan/text.ts';
import type { FileScan } from '../scan/types.ts';
import { claudeHome, sessionsPath, stateHome } from '../state/paths.ts';
import type { Paint } from '../text/paint.ts';
import { plural } from '../text/plural.ts';
import { quoteText } from '../text/quote.ts';
import { transcriptFiles } from '../transcript/transcript-files.ts';
import { nameReader, offeredTools } from '../usage/names.ts';
import { number } from '../usage/text.ts';

const FORMATS = {
  text: async () => scanText,
  html: async () => async (report: ScanReport, _paint: Paint) => (await import('../scan/page.ts')).scanPage(report),
};

const MEGABYTE = 1024 * 1024;
const WIDTH = 24;
const DAY = 86_400_000;
const LONGEST_DAYS = 3_660;

/** A progress bar that redraws one line, only at a terminal. */
const progressBar = (total: number) => {
  const { stderr } = process;
  let [read, next] = [0, Date.now() + 300];
  const draw = (): void => {
    const share = Math.min(1, read / Math.max(1, total));
    const bar = '█'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '░');
    const [done, all] = [read, total].map((bytes) => number(Math.round(bytes / MEGABYTE)));
    stderr.write(`\r\x1b[2K${bar} ${done} of ${all} MB of transcripts`);
  };
  return {
    add: (bytes: number): void => {
      read += bytes;
      if (!stderr.isTTY || Date.now() < next) return;
      next = Date.now() + 100;
      draw();
    },
    end: (): void => {
      if (stderr.isTTY) stderr.write('\r\x1b[2K');
    },
  };
};

const gapsOf = (scans: readonly FileScan[], unread: number, overflow: boolean): string[] => {
  const sum = (of: 'unread' | 'damaged' | 'tooLong'): number => scans.reduce((total, { read }) => total + read[of], 0);
  const [unreadable, damaged, tooLong] = [unread + sum('unread'), sum('damaged'), sum('tooLong')];
  return present([
    unreadable > 0 && `${plural(unreadable, 'transcript')} could not be read`,
    damaged > 0 && `${plural(damaged, 'record')} could not be understood`,
    tooLong > 0 && `${plural(tooLong, 'record')} longer than 16 MB left out`,
    overflow && 'there are more transcripts than are read',
  ]);
};

/** Whether the files of an installation are there: then scan doesn't suggest installing it. */
const isGuarded = ({ env }: Io): boolean =>
  existsSync(join(claudeHome(env), 'skills/konnichiwagwan/install.json')) || existsSync(sessionsPath(stateHome(env)));

const scanAll = async (io: Io, days: number | undefined): Promise<ScanReport> => {
  const { files, unread, overflow } = transcriptFiles(io.env, days === undefined ? 0 : Date.now() - days * DAY);
  if (files.length === 0)
    throw new CommandError(
      'no-transcripts',
      'there are no transcripts of Claude Code to read',
      'Claude Code keeps them in ~/.claude/projects, or below the folder that CLAUDE_CONFIG_DIR names',
    );
  const bytes = files.reduce((total, { size }) => total + size, 0);
  const bar = progressBar(bytes);
  let scans: FileScan[];
  try {
    scans = await scanFiles(files, bar.add);
  } finally {
    bar.end();
  }
  const nameOf = nameReader(offeredTools(stateHome(io.env)).map(({ source }) => source));
  const story = storyOf(scans);
  // What servers wrote is for people; the model may read names and types.
  const told: Story = isReadByModel(io)
    ? { ...story, changes: story.changes.map((change) => ({ ...change, changes: withoutWords(change.changes) })) }
    : story;
  const gaps = gapsOf(scans, unread, overflow);
  return toReport(told, { files: files.length, bytes, gaps, isGuarded: isGuarded(io) }, nameOf);
};

export const scan: Command = {
  name: 'scan',
  usage: '[--days N] [--format NAME] [--output FILE]',
  options: { days: { type: 'string' }, ...REPORT_OPTIONS },
  help: `
Reads the transcripts that Claude Code keeps on this machine, and tells which tools changed during conversations, when and
how; how many calls went out by a contract that was outdated by then, how many of these failed or used what had changed;
and which servers drift most. Nothing is sent anywhere. Names, dates and contracts are shown; no argument, no result and
no text of a conversation is.

  --days N       transcripts that were written to in the last N days; all if absent
  --format NAME  text; html, one page with a timeline
  --output FILE  write it there, whole or not at all

A call counts as outdated if another conversation of the same project had already been shown another contract of the tool
when it was made. Calls that only may have been outdated are counted apart. Transcripts of clients before 2.1.330 do not hold what
the model was shown: their calls are counted as not known.

Exits with 0, whatever it finds; with 2 if there is nothing to read.`,
  run: async (args, io) => {
    const wanted = reportOptions('scan', args, FORMATS);
    const { days } = args.values;
    const report = await scanAll(io, days === undefined ? undefined : wholeNumber('scan', 'days', days, LONGEST_DAYS));
    const warnings = report.gaps.map((gap) => `${gap}: the numbers may be too low`);
    const { paint } = lookOf(wanted, io);
    const outcome: Outcome = {
      exit: 0,
      data: scanData(report),
      text: `${verdict(report)}\nwritten to ${quoteText(wanted.output ?? '', 200)}`,
      warnings,
    };
    const made = await reported(wanted, io, outcome, async () => (await FORMATS[wanted.format]())(report, paint));
    return { ...made, warnings };
  },
};
