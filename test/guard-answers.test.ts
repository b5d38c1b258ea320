// What is said of an assessed call, for each verdict, each reader and each mode: from the judgement alone.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Contract } from '../scripts/contract/types.ts';
import { DOUBT } from '../scripts/diff/table.ts';
import type { FoundChange } from '../scripts/diff/types.ts';
import type { HookAnswer } from '../scripts/guard/answer.ts';
import { bullets, changeLine, reasonLine } from '../scripts/guard/change-lines.ts';
import { isForeign } from '../scripts/guard/foreign.ts';
import { mergeAnswers } from '../scripts/guard/invoker/merge-answers.ts';
import type { OuterCall } from '../scripts/guard/invoker/outer-call.ts';
import { answerFor, changedLater, failureContext } from '../scripts/guard/messages.ts';
import { type Release, releaseQuestion, withRelease } from '../scripts/guard/release.ts';
import { type Subject, subjectOf } from '../scripts/guard/subject.ts';
import { reasonLines, toldLines, toldOf } from '../scripts/guard/told.ts';
import type { LockDoubt } from '../scripts/guard/trust.ts';
import { withDoubt } from '../scripts/guard/trust-message.ts';
import { afterStop, nextStep, wayOut } from '../scripts/guard/way-out.ts';
import type { Judgement, Reason } from '../scripts/judge/judge.ts';
import { type Shown, say } from '../scripts/text/shown.ts';

const change = (more: Partial<FoundChange> = {}): FoundChange =>
  ({
    rule: 'input-property-removed',
    level: 'breaking',
    tool: 'search',
    path: '/query',
    message: say`its words`,
    brief: say`its names`,
    ...more,
  }) as FoundChange;

const reason = (verdict: 'ask' | 'deny', more: Partial<FoundChange> = {}): Reason => ({
  key: 'k',
  verdict,
  change: change({ effect: { verdict, when: 'used' }, ...more } as Partial<FoundChange>),
});

const judgement = (decision: Judgement['decision'], reasons: Reason[], more: Partial<Judgement> = {}): Judgement => ({
  decision,
  changes: reasons.flatMap((one) => (one.change ? [one.change] : [])),
  reasons,
  signature: say`search(text)`,
  ...more,
});

const about = (more: Partial<Subject> = {}): Subject => ({
  tool: 'search',
  server: 'demo',
  prefix: 'mcp__demo__',
  args: {},
  trusted: false,
  attended: false,
  ...more,
});

const lines = (text: string | undefined): string[] => (text ?? '').split('\n');

describe('a list of changes', () => {
  it('has twelve lines, and says how many more there are', () => {
    const some = (count: number): Shown[] => bullets(Array.from({ length: count }, () => say`x`));
    assert.deepEqual([some(0).length, some(12).length, some(12).at(-1)], [0, 12, '- x']);
    assert.deepEqual([some(13).length, some(13).at(-1), some(15).at(-1)], [13, '- … and 1 more', '- … and 3 more']);
  });

  it('names the parameters that a change is about, unless its words do', () => {
    const line = (more: Partial<FoundChange>, words = false) => changeLine(change(more), words);
    assert.equal(line({}), 'its names');
    assert.equal(line({}, true), 'its words');
    assert.equal(line({ parameter: ['query'] }), '`query`: its names');
    assert.equal(line({ parameter: ['query'], brief: say`the ${'`query`'} went` }), 'the `query` went');
    assert.equal(line({ parameter: ['a', 'b'], ways: [['a', 'b'], ['c']] }), '`a.b`, `c`: its names');
    const both = { parameter: ['query'], ways: [['text']], brief: say`the ${'`query`'} went` };
    assert.equal(line(both), '`query`, `text`: the `query` went');
  });

  it('says what is said of the names of a map of the map itself', () => {
    const line = (more: Partial<FoundChange>) => changeLine(change(more), false);
    assert.equal(line({ parameter: ['labels', '*'], ofNames: true }), '`labels`: its names');
    assert.equal(line({ parameter: ['labels', '*'] }), '`labels.*`: its names');
    assert.equal(line({ parameter: ['labels', 'one'], ofNames: true }), '`labels.one`: its names');
    assert.equal(line({ parameter: ['labels', '*'], ways: [['*']], ofNames: true }), '`labels`: its names');
  });

  it('gives what is wrong with an argument where no rule explains the change', () => {
    const invalid = { text: say`\`query\` is no number` };
    const told = (rule: string, words: boolean) =>
      reasonLine({ key: 'k', verdict: 'deny', change: change({ rule } as Partial<FoundChange>), invalid }, words);
    assert.equal(told('unclassified', false), 'its names: `query` is no number');
    assert.equal(told('unclassified', true), 'its words: `query` is no number');
    assert.equal(told('input-constraint-changed', false), 'its names: `query` is no number');
    assert.equal(told('input-constraint-changed', true), 'its words');
    assert.equal(told('input-property-removed', false), 'its names');
    assert.equal(reasonLine({ key: 'k', verdict: 'deny', invalid }, false), '`query` is no number');
    assert.equal(reasonLine({ key: 'the key', verdict: 'deny' }, false), 'the key');
  });

  it('leaves out what says the same in another way, unless that is all; and no line stands twice', () => {
    const [alike, other] = [change({ alike: true, brief: say`again` }), change()];
    assert.deepEqual(toldOf([alike, other]), [other]);
    assert.deepEqual(toldOf([alike]), [alike]);
    assert.deepEqual(toldLines([other, change(), alike], false), ['- its names']);
  });
});

describe('a call that is stopped', () => {
  it('is explained to the model by names alone, and to the person in words', () => {
    const { decision, reason: toModel, systemMessage } = answerFor(judgement('deny', [reason('deny')]), about());
    assert.equal(decision, 'deny');
    assert.deepEqual(lines(toModel), [
      'konnichiwagwan stopped this call: `search` (server `demo`) changed after this conversation learned it.',
      '- its names',
      'Call it like this now: search(text)',
      'Nothing was sent, and the tool is not broken. Call it in its current form; no restart is needed.',
    ]);
    assert.deepEqual(lines(systemMessage), [
      'konnichiwagwan stopped a call: `search` (server `demo`) changed after this conversation learned it.',
      '- its words',
      'Claude was told the new form and will try again. Nothing to do.',
    ]);
  });

  it('is explained to the model in words where the user trusts the server', () => {
    const { reason: toModel } = answerFor(judgement('deny', [reason('deny')]), about({ trusted: true }));
    assert.equal(lines(toModel)[1], '- its words');
  });

  it('names to an untrusted model what stops it, and no change that only asks; all of them where only those are', () => {
    const asks = reason('ask', { brief: say`it asks` });
    const both = judgement('deny', [reason('deny'), asks]);
    const told = (found: Judgement, trusted: boolean) =>
      lines(answerFor(found, about({ trusted })).reason).filter((line) => line.startsWith('- '));
    assert.deepEqual(told(both, false), ['- its names']);
    assert.deepEqual(told(both, true), ['- its words']);
    assert.deepEqual(told(judgement('deny', [asks]), false), ['- it asks']);
    assert.match(
      answerFor(both, about()).systemMessage ?? '',
      /You may be asked about that call, since more changed\.$/,
    );
  });

  it('tells all changes where none of them is the reason, and only placeholders where nothing changed', () => {
    const noReason = judgement('deny', [], { changes: [change(), change({ brief: say`another` })] });
    assert.deepEqual(lines(answerFor(noReason, about()).reason).slice(1, 3), ['- its names', '- another']);
    const invalid: Reason = { key: 'k', verdict: 'deny', invalid: { text: say`not filled` } };
    const { reason: toModel, systemMessage } = answerFor(judgement('deny', [invalid]), about());
    assert.deepEqual(lines(toModel).slice(0, 3), [
      'konnichiwagwan stopped this call: `search` (server `demo`) still holds placeholders, which stand for values to be filled in.',
      '- not filled',
      'It takes: search(text)',
    ]);
    assert.deepEqual(lines(systemMessage).slice(1), ['- not filled']);
  });

  it('tells a person the reason, and nothing of changes that are none', () => {
    const invalid: Reason = { key: 'k', verdict: 'deny', invalid: { text: say`\`n\` is too large` } };
    const other = change({ message: say`another`, brief: say`another` });
    const found = judgement('deny', [invalid, reason('deny')], { changes: [change(), other] });
    assert.deepEqual(lines(answerFor(found, about()).systemMessage).slice(1, -1), [
      '- `n` is too large',
      '- its words',
    ]);
    const alone = judgement('deny', [invalid], { changes: [other] });
    assert.deepEqual(lines(answerFor(alone, about()).systemMessage).slice(1, -1), ['- `n` is too large']);
  });

  it('says that the tool is gone, and nothing of what changed in it', () => {
    const { signature: _signature, ...gone } = judgement('deny', [reason('deny')]);
    const { reason: toModel, systemMessage } = answerFor(gone, about());
    assert.deepEqual(lines(toModel), [
      'konnichiwagwan stopped this call: `search` (server `demo`) is gone: the server no longer has this tool.',
      'Nothing was sent. The server no longer offers `search`.',
    ]);
    assert.deepEqual(lines(systemMessage).slice(1), ['Nothing was sent, and Claude was told.']);
  });

  it('names the tool that took its place, and how the client learns of it; an invoker takes it at once', () => {
    const found = judgement('deny', [reason('deny')], { successor: 'find', signature: say`find(text)` });
    assert.deepEqual(wayOut(found, about())[0], 'The server has find(text) now.');
    assert.match(nextStep(found, about()), /^Nothing was sent\. The server no longer offers `search`\. If `find` is/);
    assert.match(nextStep(found, about()), /\/mcp reconnect demo, and call it after that\.$/);
    assert.deepEqual(afterStop(found, about()).length, 1);
    const { signature: _signature, ...unknown } = found;
    assert.deepEqual(wayOut(unknown, about())[0], 'The server has `find` now.');
    const through = { name: 'call_tool', toolName: 'mcp__hub__call_tool' } as OuterCall;
    assert.equal(nextStep(found, about({ through })), 'Nothing was sent. The server no longer offers `search`.');
    assert.deepEqual(afterStop(found, about({ through })), []);
  });

  it('in mode strict stays stopped until a person refreshes the session; not if only placeholders are the reason', () => {
    const found = judgement('deny', [reason('deny')]);
    const [strict, unseen] = [about({ isStrict: true }), about({ isStrict: true, isUnseen: true })];
    assert.match(wayOut(found, strict).at(-1) ?? '', /^The mode is strict: no call of a changed tool/);
    assert.deepEqual(afterStop(found, strict), [
      'To show the model the new contract: /mcp reconnect demo, then /clear (or start a new session).',
    ]);
    assert.deepEqual(afterStop(found, unseen), [
      'To show the model the new contract: start a new session (/clear is not enough here).',
    ]);
    assert.doesNotMatch(answerFor(found, strict).reason ?? '', /Call it in its current form/);
    const unfilled = judgement('deny', [{ key: 'k', verdict: 'deny' }]);
    assert.match(answerFor(unfilled, strict).reason ?? '', /Call it in its current form/);
    assert.equal(wayOut(unfilled, strict).length, 1);
  });

  it('needs a person’s yes where its new form is not approved', () => {
    const found = judgement('deny', [reason('deny')]);
    assert.match(nextStep(found, about({ isUnapproved: true })), /sent only with a person's yes \(mcp-contracts/);
    assert.match(afterStop(found, about({ isUnapproved: true }))[0] ?? '', /needs a person's yes\.$/);
  });

  it('is shown in its new form, unless that has an odd name, is long, or would be stopped, too', () => {
    const renamed = (more: Partial<Judgement>, of = about()) =>
      wayOut(judgement('deny', [reason('deny', { renamedTo: 'text' })], { corrected: { text: 'x' }, ...more }), of);
    assert.equal(renamed({})[1], 'This call with its new names: mcp__demo__search {"text":"x"}');
    const moved = change({ moves: [{ from: ['a'], to: ['b', 'c'] }] as never });
    assert.equal(renamed({ changes: [moved] })[1], 'This call in its new form: mcp__demo__search {"text":"x"}');
    assert.equal(renamed({}, about({ prefix: '' }))[1], 'This call with its new names: search {"text":"x"}');
    for (const [more, of] of [
      [{ changes: [change({ renamedTo: 'a b' })] }, about()],
      [{ changes: [change({ moves: [{ from: ['a'], to: ['b', 'c d'] }] as never })] }, about()],
      [{ corrected: { text: 'x'.repeat(2_000) } }, about()],
      [{}, about({ isStrict: true })],
    ] as const)
      assert.ok(!renamed(more, of).some((line) => line.startsWith('This call')), JSON.stringify(more).slice(0, 90));
  });

  it('may go through its raw twin, and says whether that is to be filled in', () => {
    const twin = { name: 'search_raw', arguments: { payload: '{}' } };
    const found = (more: object) =>
      wayOut(judgement('deny', [reason('deny')], { twin: { ...twin, ...more } }), about());
    const call = 'mcp__demo__search_raw {"payload":"{}"}';
    assert.equal(found({})[1], `Or through its raw twin, whose contract does not change: ${call}`);
    assert.match(found({ incomplete: true })[1] ?? '', /^Or, with its placeholders filled in, through its raw twin/);
  });
});

describe('a call that a person is asked about', () => {
  const ask = (of: Partial<Subject>, ...reasons: Reason[]) =>
    answerFor(judgement('ask', reasons.length > 0 ? reasons : [reason('ask')]), about(of));

  it('is told in words to a person at a terminal, who can say yes or no', () => {
    const answer = ask({ attended: true });
    assert.deepEqual([answer.decision, lines(answer.reason)[1]], ['ask', '- its words']);
    assert.match(answer.reason ?? '', /\nYes sends this call unchanged and, in this session, others/);
    assert.equal(answer.systemMessage, undefined);
  });

  it('elsewhere by names alone, with the words for the reader of the output, unless the server is trusted', () => {
    const answer = ask({});
    assert.deepEqual([answer.decision, lines(answer.reason)[1]], ['ask', '- its names']);
    assert.match(answer.reason ?? '', /\nA person has to say yes to this call; where no person can be asked/);
    assert.match(answer.reason ?? '', /is not shown new words of `demo`.*konnichiwagwan logs --diff$/);
    assert.equal(lines(answer.systemMessage)[1], '- its words');
    const trusted = ask({ trusted: true });
    assert.equal(lines(trusted.reason)[1], '- its words');
    assert.doesNotMatch(trusted.reason ?? '', /is not shown new words/);
    assert.equal(trusted.systemMessage, undefined);
  });

  it('goes through without what may be left out, or with a value for all that has to be given', () => {
    const told = (more: Partial<Judgement>) =>
      answerFor(judgement('ask', [reason('ask', { parameter: ['a'] })], more), about({ trusted: true })).reason ?? '';
    assert.match(told({ givable: [['a'], ['b', 'c']] }), /\nA call that gives `a`, `b\.c` a value goes through\.$/);
    assert.match(told({ omittable: [['a'], ['b', 'c']] }), /\nA call that leaves out `a`, `b\.c` goes through\.$/);
    assert.doesNotMatch(told({}), /goes through/);
  });
});

describe('a notice', () => {
  const notice = (more: Partial<Judgement>, of: Partial<Subject> = {}): HookAnswer =>
    answerFor(judgement('notice', [], { changes: [change()], ...more }), about(of));

  it('tells the person in words and the model by names that the tool changed, and that the call was sent', () => {
    const { decision, systemMessage, context } = notice({ isOtherForm: true });
    assert.equal(decision, undefined);
    assert.deepEqual(lines(systemMessage), [
      'konnichiwagwan: `search` (server `demo`) changed after this conversation learned it (1 breaking).',
      '- its words',
      'This call fits the current schema, so it was sent.',
    ]);
    assert.deepEqual(lines(context), [
      'konnichiwagwan: the contract of `search` (server `demo`) changed after this conversation learned it.',
      '- its names',
      'This call was let through as it is; there is no need to repeat it.',
      'From now on, call it like this: search(text)',
    ]);
    assert.equal(lines(notice({}, { trusted: true }).context)[1], '- its words');
  });

  it('says of a call that is held for another reason neither that it was sent, nor that it need not be repeated', () => {
    const { systemMessage, context } = notice({}, { held: true });
    assert.deepEqual(lines(systemMessage).at(-1), 'This call fits the current schema.');
    assert.deepEqual(lines(context).slice(2), ['Call it like this now: search(text)']);
  });

  it('gives no form that the model knows, and names the branches where they changed', () => {
    assert.deepEqual(lines(notice({}).context).length, 3);
    assert.deepEqual(lines(notice({ branches: ['a', 'b'] }).context).at(-1), 'Its branches are now: `a`, `b`.');
  });

  it('promises nothing of what was not validated, of new words, or of what the call relies on', () => {
    const doubtful = notice({ why: say`it is too deep` });
    assert.deepEqual(lines(doubtful.systemMessage).slice(2), ['As far as this could be checked: it is too deep.']);
    assert.equal(lines(doubtful.context)[2], 'This call was let through as it is.');
    const words = 'Whether the changed words change what the call means, only a reader can tell.';
    const semantic = (rule: string) =>
      notice({ changes: [change({ level: 'semantic', rule } as Partial<FoundChange>)] });
    assert.equal(lines(semantic('tool-description-changed').systemMessage).at(-1), words);
    for (const rule of [
      'input-constraint-changed',
      'input-property-enum-changed',
      'input-property-marked',
      'input-property-mirrored',
      'input-property-replaced',
      'tool-hint-changed',
    ])
      assert.doesNotMatch(semantic(rule).systemMessage ?? '', /only a reader can tell/, rule);
    const relies = notice({ reasons: [reason('deny')] });
    assert.equal(
      lines(relies.systemMessage).at(-1),
      'This call relies on what changed; the mode is warn, so it was sent.',
    );
    assert.equal(lines(relies.context)[2], 'This call was let through as it is.');
  });

  it('of a twin is about what its payload takes', () => {
    const sibling = { name: 'search', changes: [change()], signature: say`search(text)` };
    const of = { tool: 'search_raw' };
    const sent = notice({ sibling, changes: [] }, of);
    assert.deepEqual(lines(sent.systemMessage), [
      'konnichiwagwan: what `search_raw` (server `demo`) takes in its payload changed after this conversation learned it (`search`: 1 breaking).',
      '- its words',
      'The server checks the payload, so the call was sent.',
    ]);
    assert.equal(lines(sent.context)[1], '- its names');
    assert.equal(
      lines(notice({ sibling, changes: [] }, { ...of, held: true }).systemMessage).at(-1),
      'The server checks the payload.',
    );
    assert.match(
      failureContext(judgement('notice', [], { sibling }), about(of)),
      /^konnichiwagwan: this error may come from drift\. konnichiwagwan: what/,
    );
    const relies = judgement('notice', [reason('deny')], { sibling });
    assert.match(failureContext(relies, about(of)), /this error looks like drift, not like a broken tool/);
    assert.match(
      answerFor(relies, about(of)).systemMessage ?? '',
      /^konnichiwagwan: `search_raw` \(server `demo`\) changed/,
    );
  });
});

describe('a call through an invoker that its tool does not take', () => {
  const through = (more: Partial<OuterCall> = {}): OuterCall =>
    ({ name: 'call_tool', toolName: 'mcp__hub__call_tool', parameter: 'args', tool: 'search', ...more }) as OuterCall;
  const invalid: Reason = { key: 'k', verdict: 'deny', invalid: { text: say`\`query\` is unknown` } };

  it('is stopped, or in mode warn told, and says that no tool is broken', () => {
    const stopped = answerFor(judgement('deny', [invalid]), about({ through: through() }));
    assert.equal(stopped.decision, 'deny');
    assert.deepEqual(lines(stopped.reason).slice(0, 2), [
      'konnichiwagwan stopped this call: `search` (server `demo`, called through `call_tool`) does not take these arguments.',
      '- `query` is unknown',
    ]);
    assert.match(stopped.reason ?? '', /`call_tool` passes on the content of `args`\. Call it again with arguments/);
    const told = answerFor(judgement('notice', [invalid]), about({ through: through() }));
    assert.equal(told.decision, undefined);
    assert.match(lines(told.systemMessage)[0] ?? '', /The mode is warn, so the call was sent\.$/);
    assert.deepEqual(
      [lines(told.systemMessage)[1], lines(told.context)[1]],
      ['- `query` is unknown', '- `query` is unknown'],
    );
  });

  it('because no list has its name, is told which one may be meant, and nothing of arguments', () => {
    const near = about({ through: through({ near: ['search', 'find'] }) });
    const { reason: toModel, systemMessage } = answerFor(judgement('deny', [invalid]), near);
    assert.match(toModel ?? '', /is in no list of tools that is known: did you mean `search`, `find`\?/);
    assert.match(toModel ?? '', /make the same call again: it goes through\.$/);
    assert.doesNotMatch(toModel ?? '', /is unknown/);
    assert.match(systemMessage ?? '', /^konnichiwagwan stopped a call: .*did you mean/);
    assert.match(failureContext(judgement('deny', [invalid]), near), /this error is about the name, no tool is broken/);
    const other = failureContext(judgement('deny', [invalid]), about({ through: through() }));
    assert.match(
      other,
      /this error is about the arguments, no tool is broken: `call_tool` passes on the content of `args`/,
    );
    assert.match(other, /\n- `query` is unknown\n/);
  });

  it('is drift like any other where something changed', () => {
    const found = judgement('deny', [reason('deny')]);
    assert.match(
      answerFor(found, about({ through: through() })).reason ?? '',
      /changed after this conversation learned/,
    );
    assert.match(failureContext(found, about({ through: through() })), /this error looks like drift/);
    assert.deepEqual(answerFor(judgement('silence', []), about({ through: through() })), {});
  });
});

describe('a change after a call', () => {
  const found = judgement('deny', [reason('deny')], { corrected: { text: 'x' } });

  it('puts the answer in question where the two may have met, and else what the model knows', () => {
    const met = changedLater(found, about(), 1_200);
    assert.match(met.systemMessage ?? '', /changed within 2 s after a call of it was checked: the answer may already/);
    assert.match(met.context ?? '', /changed within 2 s after your call of it was checked/);
    assert.match(changedLater(found, about(), 0).systemMessage ?? '', /within 1 s after/);
    assert.match(changedLater(found, about(), 3_000).systemMessage ?? '', /within 3 s after/);
    const later = changedLater(found, about());
    assert.match(
      later.systemMessage ?? '',
      /changed after this conversation used it: the same call would be stopped now/,
    );
    assert.match(
      later.context ?? '',
      /What you know of it no longer holds: call it in its current form\.\n- its names/,
    );
    assert.equal(lines(later.systemMessage)[1], '- its words');
    assert.match(changedLater(found, about({ isStrict: true })).context ?? '', /no longer holds\.\n/);
  });

  it('does not repeat the call, which is over', () =>
    assert.doesNotMatch(changedLater(found, about()).context ?? '', /This call/));
});

describe('a release before a call', () => {
  const release = (more: Partial<Release>): Release => ({
    line: say`version and tools`,
    ofVersion: say`version`,
    tools: new Set(['search']),
    holds: true,
    ...more,
  });
  const stop: HookAnswer = { decision: 'deny', reason: say`r`, systemMessage: say`m` };

  it('is told beside what is said of the call; of a stop about its tools, only the version', () => {
    assert.deepEqual(withRelease({}, release({}), 'search'), { systemMessage: 'version and tools' });
    assert.deepEqual(withRelease(stop, release({ tools: new Set(['search', 'other']) }), 'search'), {
      ...stop,
      systemMessage: 'version\nm',
    });
    const { ofVersion: _ofVersion, ...unversioned } = release({ tools: new Set(['search', 'other']) });
    assert.deepEqual(withRelease(stop, unversioned, 'search'), stop);
    assert.deepEqual(
      withRelease(stop, release({ tools: new Set(['other']) }), 'search').systemMessage,
      'version and tools\nm',
    );
    assert.deepEqual(withRelease(stop, release({}), undefined).systemMessage, 'version and tools\nm');
  });

  it('is not told where the answer says it all: only the called tool changed', () => {
    assert.deepEqual(withRelease(stop, release({}), 'search'), stop);
    const told = { systemMessage: say`m` };
    assert.deepEqual(withRelease(told, release({}), 'search'), told);
    assert.deepEqual(withRelease(told, release({ tools: new Set() }), 'search').systemMessage, 'version and tools\nm');
  });

  it('is asked about in mode strict, with what else is said', () => {
    const asked = releaseQuestion({ systemMessage: say`m`, reason: say`r` }, release({}));
    assert.deepEqual([asked.decision, asked.systemMessage], ['ask', 'm']);
    assert.deepEqual(lines(asked.reason), [
      'r',
      'version and tools',
      'The mode is strict, so a person has to say yes before calls go on after that.',
    ]);
    assert.equal(lines(releaseQuestion({}, release({})).reason).length, 2);
  });
});

describe('the lockfile’s doubt beside the verdict', () => {
  const doubt = (more: Partial<LockDoubt> = {}): LockDoubt => ({
    what: 'changed',
    verdict: 'ask',
    key: 'k',
    changes: [change()],
    command: 'kwg approve demo search',
    ...more,
  });

  it('says for each kind what is wrong and who repairs it', () => {
    const said = (more: Partial<LockDoubt>) =>
      lines(withDoubt({}, doubt({ verdict: 'notice', changes: [], ...more }), about()).systemMessage);
    const tool = 'konnichiwagwan: `search` (server `demo`)';
    const remedy = 'A person looks at it and decides, at a terminal: kwg approve demo search';
    assert.deepEqual(said({}), [`${tool} is not the contract that is pinned (mcp-contracts.lock.json).`, remedy]);
    assert.deepEqual(said({ what: 'unconfirmed', why: 'a second person' }), [
      `${tool} is as pinned, and its approval is not what the settings ask for: a second person (mcp-contracts.lock.json).`,
      remedy,
    ]);
    assert.deepEqual(said({ what: 'refused', why: 'by A' }), [`${tool} was refused by A.`, remedy]);
    assert.match(
      said({ what: 'refused', why: 'by A', command: '' })[1] ?? '',
      /^The people who publish these approvals/,
    );
    const unreadable = said({ what: 'unreadable', why: 'no JSON' });
    assert.match(unreadable[0] ?? '', /cannot be read \(no JSON\), so it is unknown whether `search`/);
    assert.match(unreadable[1] ?? '', /^A person has to update konnichiwagwan/);
  });

  it('says of a lockfile that is gone which one, and how it comes back', () => {
    const said = (more: Partial<LockDoubt>) =>
      withDoubt({}, doubt({ what: 'gone', verdict: 'notice', changes: [], why: 'git has it', ...more }), about())
        .systemMessage ?? '';
    assert.match(said({}), /is gone from this project \(git has it\), so nothing is compared/);
    assert.match(said({}), /This restores it: kwg approve demo search\nIf it was deleted on purpose/);
    assert.match(said({}), /says so at a terminal: konnichiwagwan approve$/);
    assert.match(said({ path: '../x' }), /\.\.\/x is gone \(git has it\), so what it refused is no longer stopped/);
    assert.match(said({ path: '../x', command: '' }), /Restore it\. If it .* says so at a terminal in its folder:/);
  });

  it('makes a question of what would be sent, and leaves a stop a stop', () => {
    const asked = withDoubt({}, doubt(), about());
    assert.equal(asked.decision, 'ask');
    assert.match(asked.reason ?? '', /\n- its names\n.*\nA person has to say yes to this call; where no person/);
    assert.equal(lines(asked.systemMessage)[1], '- its words');
    const attended = withDoubt({}, doubt(), about({ attended: true }));
    assert.match(attended.reason ?? '', /\n- its words\n.*\nYes sends this call .* It approves nothing\.$/);
    assert.equal(attended.systemMessage, undefined);
    assert.match(withDoubt({}, doubt(), about({ trusted: true })).reason ?? '', /\n- its words\n/);
    const stop: HookAnswer = { decision: 'deny', reason: say`r`, systemMessage: say`m` };
    const stopped = withDoubt(stop, doubt(), about());
    assert.deepEqual([stopped.decision, stopped.reason], ['deny', 'r']);
    assert.deepEqual(lines(stopped.systemMessage).slice(0, 1), ['m']);
    const asking = withDoubt({ decision: 'ask', reason: say`r`, systemMessage: say`m` }, doubt(), about());
    assert.deepEqual([asking.decision, lines(asking.reason)[0]], ['ask', 'r']);
  });

  it('stops what was refused, whatever else is said, and tells each change once', () => {
    const refused = doubt({ what: 'refused', verdict: 'deny', why: 'by A' });
    const plain = withDoubt({ decision: 'ask', reason: say`r\n- its names` }, refused, about());
    assert.equal(plain.decision, 'deny');
    assert.deepEqual(lines(plain.reason).filter((line) => line === '- its names').length, 1);
    assert.match(plain.reason ?? '', /Nothing was sent\. Do not go around it, and do not approve it yourself\.$/);
    assert.match(plain.systemMessage ?? '', /was refused by A/);
    const trusted = withDoubt({ systemMessage: say`m` }, refused, about({ trusted: true }));
    assert.deepEqual([trusted.decision, trusted.systemMessage], ['deny', 'm']);
  });
});

describe('two answers to one call', () => {
  it('are one: the stricter decision with its own reasons, and all that is said', () => {
    const [ask, deny]: HookAnswer[] = [
      { decision: 'ask', reason: say`a`, systemMessage: say`m` },
      { decision: 'deny', reason: say`d`, context: say`c` },
    ];
    for (const [one, other] of [
      [ask, deny],
      [deny, ask],
    ] as [HookAnswer, HookAnswer][])
      assert.deepEqual(mergeAnswers(one, other), { systemMessage: 'm', decision: 'deny', reason: 'd', context: 'c' });
    assert.deepEqual(mergeAnswers({}, ask as HookAnswer), ask);
    assert.deepEqual(mergeAnswers(ask as HookAnswer, { decision: 'ask', reason: say`b` }).reason, 'a\n\nb');
    assert.deepEqual(mergeAnswers(ask as HookAnswer, ask as HookAnswer), ask);
    assert.deepEqual(mergeAnswers({ context: say`x` }, { context: say`y` }), { context: 'x\n\ny' });
    assert.deepEqual(mergeAnswers({}, {}), {});
  });
});

describe('the subject of a message', () => {
  const contract: Contract = { name: 'search', inputSchema: true };
  const found = (more: object, mode = 'guard', tool: object = { view: contract }) =>
    subjectOf(
      { arguments: { a: 1 } },
      {
        named: { server: 'demo', prefix: 'mcp__demo__', spelling: 'spelled' },
        policy: { mode, trusted: true },
        facts: { tool: { name: 'search', belief: { from: 'baseline' }, ...tool } },
        ...more,
      } as never,
      true,
    );

  it('is the tool by its own name, with what counts for it', () => {
    assert.deepEqual(found({}), {
      tool: 'search',
      server: 'demo',
      prefix: 'mcp__demo__',
      args: { a: 1 },
      trusted: true,
      attended: true,
    });
    assert.equal(found({ facts: undefined }).tool, 'spelled');
    const through = { tool: 'inner' };
    assert.deepEqual([found({ through }).tool, found({ through }).through], ['inner', through]);
  });

  it('is strict, unless the model was told otherwise; unapproved, unless that is only noticed; unseen without a view', () => {
    assert.equal(found({}, 'strict').isStrict, true);
    assert.equal(found({}, 'strict', { view: contract, belief: { from: 'told' } }).isStrict, undefined);
    assert.equal(found({ trust: { verdict: 'ask' } }).isUnapproved, true);
    assert.equal(found({ trust: { verdict: 'deny' } }).isUnapproved, true);
    assert.equal(found({ trust: { verdict: 'notice' } }).isUnapproved, undefined);
    assert.equal(found({}, 'guard', {}).isUnseen, true);
    assert.equal(found({ facts: undefined }).isUnseen, undefined);
  });
});

describe('a hook’s input is another program’s', () => {
  for (const [what, input, env, expected] of [
    ['turns are numbered', { session_id: 's', turn_id: 1 }, {}, true],
    ['the version of Cursor', { session_id: 's', cursor_version: '1' }, {}, true],
    ['a name in camelCase, and the event', { sessionId: 's', hookEventName: 'x' }, {}, true],
    ['a name in camelCase, and the tool', { sessionId: 's', toolName: 'x' }, {}, true],
    ['a date, and no permission mode', { session_id: 's', timestamp: 1 }, {}, true],
    ['not: a date and a permission mode', { session_id: 's', timestamp: 1, permission_mode: 'plan' }, {}, false],
    ['not: a name in camelCase alone', { sessionId: 's' }, {}, false],
    ['not: the event in camelCase alone', { hookEventName: 'x' }, {}, false],
    ['not: a session that Claude Code names', { session_id: 's', turn_id: 1 }, { CLAUDE_CODE_SESSION_ID: 's' }, false],
    ['a session that is not the one it names', { session_id: 's', turn_id: 1 }, { CLAUDE_CODE_SESSION_ID: 't' }, true],
    ['no session, where none is named', { turn_id: 1 }, {}, true],
    ['not: what Claude Code writes', { session_id: 's', tool_name: 'x' }, {}, false],
  ] as const)
    it(what, () => assert.equal(isForeign(input, env as NodeJS.ProcessEnv), expected));
});

describe('who reads what of a call that is stopped', () => {
  const extra = change({ message: say`more words`, brief: say`more names` });

  it('a person reads what concerns the call, or all that changed where nothing does', () => {
    const concerned = judgement('deny', [reason('deny')]);
    const told = (found: Judgement) =>
      lines(answerFor(found, about()).systemMessage).filter((line) => /^- /.test(line));
    assert.deepEqual(told({ ...concerned, changes: [...concerned.changes, extra] }), ['- its words']);
    assert.deepEqual(told({ ...concerned, reasons: [], changes: [extra] }), ['- more words']);
  });

  it('a trusted model reads what only asks, too', () => {
    const found = judgement('deny', [reason('deny'), reason('ask', { message: say`it asks` })]);
    const told = lines(answerFor(found, about({ trusted: true })).reason).filter((line) => /^- /.test(line));
    assert.deepEqual(told, ['- its words', '- it asks']);
  });

  it('no doubt stands before what is wrong with the arguments', () => {
    const doubtful = change({ rule: 'unclassified', brief: say`another form${DOUBT}` } as Partial<FoundChange>);
    const line = (more: Partial<Reason>) =>
      reasonLines([{ key: 'k', verdict: 'deny', change: doubtful, ...more }], false);
    assert.deepEqual(line({}), [`another form${DOUBT}`]);
    assert.deepEqual(line({ invalid: { text: say`no number` } }), ['another form: no number']);
  });

  it('new words are spoken of beside any other change', () => {
    const semantic = change({ level: 'semantic', rule: 'tool-description-changed' } as Partial<FoundChange>);
    const told = answerFor(judgement('notice', [], { changes: [change(), semantic] }), about()).systemMessage ?? '';
    assert.match(told, /only a reader can tell\.$/);
  });

  it('a proposed call has plain names only, all of them, and goes through the invoker under the listed name', () => {
    const [plain, odd] = [change({ renamedTo: 'text' }), change({ renamedTo: 'a b' })];
    const found = (changes: FoundChange[], more: Partial<Judgement> = {}) =>
      judgement('deny', [reason('deny')], { changes, corrected: { text: 'x' }, ...more });
    const calls = (of: Judgement, to = about()) => wayOut(of, to).filter((line) => /^(?:This call|Or)/.test(line));
    assert.equal(calls(found([plain, change()])).length, 1);
    assert.deepEqual(calls(found([plain, odd])), []);
    const twin = { name: 'search_raw', arguments: { payload: '{}' } };
    assert.equal(calls(found([plain], { twin })).length, 2);
    assert.deepEqual(calls(found([odd], { twin })), []);
    const moved = change({ moves: [{ from: ['a'], to: ['b'] }] as never });
    assert.match(calls(found([plain, moved]))[0] ?? '', /^This call in its new form/);
    const through = {
      name: 'call_tool',
      toolName: 'mcp__hub__call_tool',
      listed: 'demo__search',
      call: (tool: string, args: object) => ({ tool, args }),
      skeleton: { tool: 'demo__search' },
    } as unknown as OuterCall;
    const inner = wayOut(found([plain], { branches: ['a'] }), about({ through }));
    assert.equal(
      inner[2],
      'This call with its new names: mcp__hub__call_tool {"tool":"demo__search","args":{"text":"x"}}',
    );
    assert.equal(inner[1], 'Its branches are now: `a`.');
    assert.equal(inner[3], 'The whole call: mcp__hub__call_tool {"tool":"demo__search"}');
    const open = { ...through, skeleton: { tool: '<fill in: text>' } };
    assert.match(wayOut(found([plain]), about({ through: open })).at(-1) ?? '', /^The whole call, to be filled in: /);
  });

  it('strict or not, a tool that is gone has no form to be called in', () => {
    const { signature: _signature, ...gone } = judgement('deny', [reason('deny')]);
    assert.match(
      answerFor(gone, about({ isStrict: true })).reason ?? '',
      /\nNothing was sent\. The server no longer offers/,
    );
    assert.doesNotMatch(answerFor(gone, about({ isStrict: true })).reason ?? '', /The mode is strict/);
  });

  it('what was said for the model stays beside a doubt of the lockfile', () => {
    const trust = (verdict: 'notice' | 'ask'): LockDoubt => ({
      what: 'new',
      verdict,
      key: 'k',
      changes: [],
      command: 'kwg approve',
    });
    const said: HookAnswer = { systemMessage: say`m`, context: say`c` };
    const noticed = withDoubt(said, trust('notice'), about());
    assert.deepEqual([noticed.decision, noticed.context], [undefined, 'c']);
    assert.deepEqual(lines(noticed.systemMessage).length, 3);
    assert.equal(lines(noticed.systemMessage)[0], 'm');
    const asked = withDoubt(said, trust('ask'), about({ attended: true }));
    assert.deepEqual([asked.decision, asked.context, asked.systemMessage], ['ask', 'c', 'm']);
    const stopped = withDoubt({ decision: 'deny', reason: say`r`, context: say`c` }, trust('ask'), about());
    assert.deepEqual([stopped.reason, stopped.context], ['r', 'c']);
    assert.match(stopped.systemMessage ?? '', /came after the tools of its server were pinned/);
  });
});
