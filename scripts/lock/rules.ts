import { CommandError } from '../command/command.ts';
import { parsedJson } from '../contract/parsed-json.ts';
import { isObject } from '../contract/types.ts';
import { readObject } from '../servers/read.ts';
import { managedPath } from '../servers/settings.ts';
import { configPath, projectConfigPath } from '../state/paths.ts';
import { quoteText } from '../text/quote.ts';
import { joined, type Shown, say } from '../text/shown.ts';
import { type Approved, type Consent, consentsIn } from './types.ts';

/** What an approval needs. If several files have rules, all of them hold. */
export interface ApprovalRules {
  /** A reason is given. */
  why: boolean;
  /** How many people must say yes. */
  people: 1 | 2;
  /** Everyone who says yes is in each of these lists. */
  by: readonly (readonly string[])[];
  /** A pin without a record of an approval is a failure. */
  requireRecords: boolean;
  /** Everyone who says yes signs the commit that records it. */
  signatures: boolean;
}

export const NO_RULES: ApprovalRules = { why: false, people: 1, by: [], requireRecords: false, signatures: false };
const LARGEST_SETTINGS = 1024 * 1024;
const USER_SETTINGS = 'config.json';
const MANAGED_SETTINGS = 'konnichiwagwan.json of the organization';
export const PROJECT_SETTINGS = '.claude/konnichiwagwan.json';

export const hasRules = ({ why, people, by, requireRecords }: ApprovalRules): boolean =>
  why || people > 1 || by.length > 0 || requireRecords;

export const bothRules = (a: ApprovalRules, b: ApprovalRules): ApprovalRules => ({
  why: a.why || b.why,
  people: a.people > b.people ? a.people : b.people,
  by: [...a.by, ...b.by],
  requireRecords: a.requireRecords || b.requireRecords,
  signatures: a.signatures || b.signatures,
});

/** Unlike other invalid settings, invalid rules are an error: dropping them would loosen the rules unnoticed. */
const wrong = (file: string, what: string): CommandError =>
  new CommandError('bad-settings', `${file}: ${what}`, 'put it right: no approval is checked by half of a rule');

/** Where approvals are shared: a user's file and an organization's may say that as well, and a project's may not. `loadConfig` checks it. */
const SHARED: ReadonlySet<string> = new Set(['url', 'allowedSigners', 'maxAge']);

/** The rules in a settings file. @throws CommandError if they are not valid */
const readRules = (settings: unknown, file: string): ApprovalRules => {
  const maySayWhere = file === USER_SETTINGS || file === MANAGED_SETTINGS;
  if (!isObject(settings)) throw wrong(file, 'is not an object');
  const { approvals } = settings;
  if (approvals === undefined) return NO_RULES;
  if (!isObject(approvals)) throw wrong(file, '"approvals" must be an object');
  const { why = false, people = 1, by, requireRecords = false, signatures = false, ...more } = approvals;
  const [unknown] = Object.keys(more).filter((key) => !maySayWhere || !SHARED.has(key));
  if (unknown !== undefined) throw wrong(file, `${quoteText(`approvals.${unknown}`, 60)} is not a setting`);
  for (const [name, value] of Object.entries({ why, requireRecords, signatures }))
    if (typeof value !== 'boolean') throw wrong(file, `"approvals.${name}" must be true or false`);
  if (people !== 1 && people !== 2) throw wrong(file, '"approvals.people" must be 1 or 2');
  const isList = Array.isArray(by) && by.length > 0 && by.every((one) => typeof one === 'string' && one !== '');
  if (by !== undefined && !isList) throw wrong(file, '"approvals.by" must be a list of at least one name or address');
  return {
    why: why === true,
    people,
    by: isList ? [by as string[]] : [],
    requireRecords: requireRecords === true,
    signatures: signatures === true,
  };
};

/** The rules in the text of a project's settings; none without a text. */
export const rulesInText = (text: string | undefined, file: string): ApprovalRules => {
  // A blank file counts as an empty object, as in the project's folder.
  if (text === undefined || text.trim() === '') return NO_RULES;
  const settings = parsedJson(text.replace(/^\ufeff/, ''));
  if (settings === undefined) throw wrong(file, 'is not valid JSON');
  return readRules(settings, file);
};

const rulesIn = (path: string, file: string): ApprovalRules => {
  const read = readObject(path, LARGEST_SETTINGS);
  if (read.status === 'bad') throw wrong(file, read.why);
  return read.status === 'absent' ? NO_RULES : readRules(read.value, file);
};

/** The project's rules, as they are in its folder now. */
export const projectRules = (project: string): ApprovalRules => rulesIn(projectConfigPath(project), PROJECT_SETTINGS);

/** The user's rules, the organization's and those of a project's folders: none weakens another. */
export const approvalRules = (home: string, ...folders: string[]): ApprovalRules =>
  [
    rulesIn(managedPath(), MANAGED_SETTINGS),
    rulesIn(configPath(home), USER_SETTINGS),
    ...[...new Set(folders)].map(projectRules),
  ].reduce(bothRules);

/** Whether rules require less than earlier ones. */
export const isWeaker = (now: ApprovalRules, before: ApprovalRules): boolean => {
  // A list that lost names is stricter; one that gained some, or is gone, is weaker.
  const held = before.by.every((old) => now.by.some((list) => list.every((one) => includes(old, one))));
  const dropped = (['why', 'requireRecords', 'signatures'] as const).some((rule) => before[rule] && !now[rule]);
  return dropped || now.people < before.people || !held;
};

/** What identifies a person: the address, else the whole name. */
export const identity = (by: string): string => (/<([^<>]*)>\s*$/.exec(by)?.[1] ?? by).trim().toLowerCase();

const includes = (list: readonly string[], by: string): boolean => list.some((one) => identity(one) === identity(by));

/** Whether two approvals are one person's: the same name or address, account, or terminal. */
export const isSamePerson = (a: Pick<Consent, 'by' | 'seat'>, b: Pick<Consent, 'by' | 'seat'>): boolean =>
  identity(a.by) === identity(b.by) || (a.seat ?? []).some((one) => b.seat?.includes(one));

/**
 * Whether two approvals are shown to be two people's: if only one says where it was given, they may be one's. Where neither
 * does, both were written by hand, as the names were.
 */
export const areTwoPeople = (a: Pick<Consent, 'by' | 'seat'>, b: Pick<Consent, 'by' | 'seat'>): boolean =>
  (a.seat === undefined) === (b.seat === undefined) && !isSamePerson(a, b);

export const mayApprove = ({ by: lists }: ApprovalRules, by: string): boolean =>
  lists.every((list) => includes(list, by));

/** What an approval lacks by the rules; empty if nothing. */
export const lacks = (rules: ApprovalRules, approved: Approved | undefined): Shown[] => {
  if (approved === undefined) return [say`no person approved it`];
  const { second } = approved;
  const given = consentsIn(approved);
  const others = given.filter(({ by }) => !mayApprove(rules, by)).map(({ by }) => quoteText(by, 100));
  const alone = second === undefined || !areTwoPeople(approved, second);
  return [
    ...(rules.why && given.some(({ why = '' }) => why.trim() === '') ? [say`no reason is given`] : []),
    ...(others.length > 0 ? [say`${joined(others, ', ')} may not approve here`] : []),
    ...(rules.people === 2 && alone ? [say`a second person has to approve it`] : []),
  ];
};
