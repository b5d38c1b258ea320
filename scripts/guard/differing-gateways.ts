// Several gateways that name one server, and differ about its tool.
import { defined } from '../contract/defined.ts';
import { meaningHash } from '../contract/meaning.ts';
import type { AllSources } from '../sources/all.ts';
import { isNaming } from '../sources/speakers.ts';
import { quoteName } from '../text/quote.ts';
import { say } from '../text/shown.ts';
import { type Assessment, liveContract, type UncheckedCall } from './assessment.ts';
import type { Hearing } from './hear.ts';
import { weightOf } from './readings.ts';

/** What a gateway lists, apart from the name, which may have the server's before it. */
const listed = (found: Assessment): string | undefined => {
  const live = liveContract(found);
  return live && meaningHash({ ...live, name: '' });
};

/** Whether it lists the tool, and did when the session started: then the tool did not move here from another gateway. */
const listsAsBefore = (found: Assessment): boolean => {
  const live = liveContract(found);
  return found.facts?.atStart?.tools.some(({ name }) => name === live?.name) === true;
};

/**
 * The verdict where gateways that are both said to speak for a server differ about its tool: it is not known which of them
 * the server follows. Undefined if they do not differ.
 */
export const differingGateways = (heard: readonly Hearing[], { gateways }: AllSources): UncheckedCall | undefined => {
  const found = heard.flatMap((one) => (one.found && isNaming(one.source, gateways) ? [one.found] : []));
  const [first] = found;
  const other = found.find((one) => first !== undefined && listed(one) !== listed(first));
  if (first === undefined || other === undefined) return undefined;
  const hasMoved = [first, other].some((one) => listed(one) !== undefined && !listsAsBefore(one));
  if ([first, other].some((one) => listed(one) === undefined) && hasMoved) return undefined;
  const [one, two] = [first, other].map(({ facts }) => quoteName(facts?.source.name ?? ''));
  const why = say`the gateways ${one ?? ''} and ${two ?? ''} are both named for it, and differ about its tool`;
  const [{ trust }] = [first, other].sort((a, b) => weightOf(b.trust) - weightOf(a.trust)) as [Assessment, Assessment];
  const { config, all, settings, policy, named, index, consulted, facts } = first;
  const basis = { config, all, settings, policy, named, index, consulted, ...defined({ facts, trust }) };
  return { ...basis, verdict: 'unchecked', why };
};
