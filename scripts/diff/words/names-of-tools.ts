// Words in the names of tools: what a tool does, and what makes it do so in earnest, on trial, or only later.
import { stem } from './opposites.ts';

const setOf = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/).map(stem));

const LOOKING = [
  'access browse check describe display fetch find get give inspect list load look lookup obtain provide query read',
  'retrieve return search see show view',
].join(' ');

/** In each row, verbs for the same act: a tool that was called by one may be called by another. */
const SAME_ACTS = `${LOOKING}
  check test validate verify
  calculate compute estimate
  add create generate make new insert register
  change edit modify patch put set update
  deliver post reply send
  execute run call invoke perform process do
  begin start launch
  go navigate open visit
  capture take
  close exit quit
  press type enter
  analyse analyze
  summarise summarize
  copy duplicate clone
  cancel abort
  halt stop
  pause suspend
  restart reboot
  decline deny reject refuse
  revert rollback undo
  save store write`
  .split('\n')
  .map(setOf);

/** Verbs that only look. A name may as well do without one: `weather` and `get_weather`. */
const LOOKS = setOf(LOOKING);
/** Verbs that add nothing to the name of an act: `backup` and `start_backup`. */
const LIGHT = setOf('begin do execute launch make perform process run start take');

/** Further verbs. No two of them are the same act. */
const OTHER_ACTS = setOf(`
  abandon accept acknowledge activate adjust allocate append apply approve archive ask assign attach authorize ban
  block buy cancel charge clean clear commit complete compress confirm connect convert count deactivate decrypt
  delete demote deploy destroy detach disable discard disconnect dismiss download drop empty enable encrypt end
  enqueue enroll erase evict exclude expire export extract fail finalize finish flush follow forbid fork freeze
  grant hide ignore import include increase install invalidate invite join kick kill leave lend lock merge migrate
  move mute notify overwrite parse pay pin postpone prepare promote propose publish pull purchase purge push queue
  reassign rebuild recover recreate redeploy refund regenerate release remove rename renew reopen replace request
  reschedule reserve reset resize resolve restore resume retry revoke rotate schedule sell share shut sign simulate
  snooze split submit subscribe suggest swap switch sync terminate transfer transform translate trash trigger
  truncate unblock uninstall unlock unpublish unsubscribe upgrade upload upsert wipe withdraw`);
/** Verbs that are things as well: they act where they begin a name. */
const ACTS_OR_THINGS = setOf(`
  alert bill book call capture charge comment copy email file forward issue link log mark message note order page
  place play post report review test trade type`);

/** Words that make a tool do its work on trial, in another strength, or at another stage, wherever they stand. */
const DECISIVE = setOf(`
  can check confirm demo draft dry dummy estimate evaluate explain fake is mock paper plan practice pretend preview
  probe prod production propose sample sandbox should simulate simulated simulation staging suggest test trial try
  validate verify whatif would
  auto deep everything force forced forcibly full hard lazy partial partially permanent permanently quick recursive
  safe safely shallow soft softly strict temp temporarily temporary
  abort approve cancel complete confirm draft enqueue finalize finish pending prepare queue queued request
  reschedule resume retry revert rollback schedule scheduled submit undo`);
/** Words that widen what a tool acts on. Of one that only looks, they say nothing. */
const WIDER = setOf('all batch bulk each every many mass multiple');

/** Words that are no part of what a tool does. */
const NEUTRAL = /^(?:api|mcp|now|tools?|v?\d+|v)$/;
/** Words for what any tool shows of a thing. */
const SHOWN = /^(?:contents?|data|details?|info|information|list|records?|results?)$/;
/** Words for any thing, or for how it is chosen: a description of no others may be said of every tool. */
const ANY_THING = new Set(
  `a all an and any by data detail details element elements entities entity for from given id identifier identifiers ids
  in info information it its item items name names object objects of one or record records resource resources single
  specific specified the their them thing things this to tool tools value values with your`.split(/\s+/),
);

export const isLook = (word: string): boolean => LOOKS.has(stem(word));
export const isLight = (word: string): boolean => LIGHT.has(stem(word));
export const isDecisive = (word: string): boolean => DECISIVE.has(stem(word));
export const isWider = (word: string): boolean => WIDER.has(stem(word));
export const isNeutral = (word: string): boolean => NEUTRAL.test(word);
export const isShown = (word: string): boolean => SHOWN.test(word);
export const isAnyThing = (word: string): boolean => ANY_THING.has(word);

const ACTS: ReadonlySet<string> = new Set([...SAME_ACTS.flatMap((row) => [...row]), ...OTHER_ACTS]);
/** Whether a word is a verb, at the place where it stands. */
export const isAct = (word: string, isFirst: boolean): boolean => {
  const its = stem(word);
  return isFirst ? ACTS.has(its) || ACTS_OR_THINGS.has(its) : ACTS.has(its) && !ACTS_OR_THINGS.has(its);
};

/** Whether two verbs are for the same act. */
export const areSameAct = (one: string, other: string): boolean => {
  const [a, b] = [stem(one), stem(other)];
  return a === b || SAME_ACTS.some((row) => row.has(a) && row.has(b));
};
