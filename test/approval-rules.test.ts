// The rules of approvals: which require less than others did, and what several files require together.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { systemAccount, whoApproves } from '../scripts/lock/identity.ts';
import {
  type ApprovalRules,
  areTwoPeople,
  bothRules,
  isWeaker,
  lacks,
  mayApprove,
  NO_RULES,
  rulesInText,
} from '../scripts/lock/rules.ts';
import { claimsOnly } from '../scripts/lock/signers.ts';
import type { Approved, Consent } from '../scripts/lock/types.ts';
import { remove } from '../scripts/state/in-use.ts';
import { noGit } from './git.ts';

const [ONE, OTHER] = ['One <one@example.com>', 'Other <other@example.com>'];
const rules = (some: Partial<ApprovalRules>): ApprovalRules => ({ ...NO_RULES, ...some });

describe('rules that require less than earlier ones', () => {
  for (const [what, now, before] of [
    ['no reason any more', {}, { why: true }],
    ['one person in place of two', { people: 1 }, { people: 2 }],
    ['no records any more', {}, { requireRecords: true }],
    ['no signatures any more', {}, { signatures: true }],
    ['no list any more', {}, { by: [[ONE]] }],
    ['one more name in the list', { by: [[ONE, OTHER]] }, { by: [[ONE]] }],
    ['another name in the list', { by: [[OTHER]] }, { by: [[ONE]] }],
    ['one of two lists is gone', { by: [[ONE, OTHER]] }, { by: [[ONE, OTHER], [ONE]] }],
    ['one of them, though others got stricter', { why: true, people: 2 }, { why: true, signatures: true }],
  ] as [string, Partial<ApprovalRules>, Partial<ApprovalRules>][])
    it(what, () => {
      assert.equal(isWeaker(rules(now), rules(before)), true);
    });

  for (const [what, now, before] of [
    ['the same', { why: true, people: 2, by: [[ONE]] }, { why: true, people: 2, by: [[ONE]] }],
    ['rules where there were none', { why: true, people: 2, by: [[ONE]], signatures: true }, {}],
    ['one name less in the list', { by: [[ONE]] }, { by: [[ONE, OTHER]] }],
    ['the same person by another name', { by: [['First <ONE@example.com>']] }, { by: [[ONE]] }],
    ['a second list', { by: [[ONE, OTHER], [OTHER]] }, { by: [[ONE, OTHER]] }],
  ] as [string, Partial<ApprovalRules>, Partial<ApprovalRules>][])
    it(`not: ${what}`, () => {
      assert.equal(isWeaker(rules(now), rules(before)), false);
    });
});

it('two files require together what either requires', () => {
  const both = bothRules(rules({ why: true, by: [[ONE, OTHER]] }), rules({ people: 2, by: [[OTHER]] }));
  assert.deepEqual(both, rules({ why: true, people: 2, by: [[ONE, OTHER], [OTHER]] }));
  assert.deepEqual([mayApprove(both, ONE), mayApprove(both, OTHER)], [false, true]);
});

it('a space more makes no other person of a name', () => {
  for (const by of [' One <one@example.com> ', 'One < one@example.com >']) {
    assert.equal(mayApprove(rules({ by: [[ONE]] }), by), true, by);
    assert.equal(areTwoPeople({ by: ONE }, { by }), false, by);
  }
  assert.equal(areTwoPeople({ by: 'One' }, { by: 'One ' }), false);
  assert.equal(areTwoPeople({ by: ONE }, { by: OTHER }), true);
  const [here, there] = [
    { by: ONE, seat: ['pc', 'tty1'] },
    { by: OTHER, seat: ['pc', 'tty2'] },
  ];
  assert.equal(areTwoPeople(here, there), false, 'one computer');
  assert.equal(areTwoPeople(here, { ...there, seat: ['mac'] }), true);
  assert.equal(areTwoPeople(here, { by: OTHER }), false, 'only one says where');
});

it('a rule of any file holds, whichever it is and whatever the other files leave out', () => {
  const each: Partial<ApprovalRules>[] = [
    { why: true },
    { people: 2 },
    { requireRecords: true },
    { signatures: true },
    { by: [[ONE]] },
  ];
  for (const some of each) {
    assert.deepEqual(bothRules(rules(some), NO_RULES), rules(some));
    assert.deepEqual(bothRules(NO_RULES, rules(some)), rules(some));
  }
});

describe('the rules in a text', () => {
  it('are those that it names', () => {
    for (const text of [undefined, '', ' \n', '\ufeff{}']) assert.deepEqual(rulesInText(text, 'x.json'), NO_RULES);
    const all = { why: true, people: 2, requireRecords: true, signatures: true };
    const text = JSON.stringify({ approvals: { ...all, by: [ONE] } });
    assert.deepEqual(rulesInText(text, 'x.json'), { ...all, by: [[ONE]] });
    assert.deepEqual(rulesInText('{"approvals":{"url":"https://x","maxAge":5}}', 'config.json'), NO_RULES);
    assert.throws(
      () => rulesInText('{"approvals":{"reason":true}}', 'config.json'),
      /"approvals.reason" is not a setting/,
    );
  });

  for (const [text, why] of [
    ['{', /is not valid JSON/],
    ['[]', /is not an object/],
    ['{"approvals":[]}', /"approvals" must be an object/],
    ['{"approvals":{"url":"https://x"}}', /"approvals.url" is not a setting/],
    ['{"approvals":{"why":"yes"}}', /"approvals.why" must be true or false/],
    ['{"approvals":{"requireRecords":1}}', /"approvals.requireRecords" must be true or false/],
    ['{"approvals":{"signatures":"yes"}}', /"approvals.signatures" must be true or false/],
    ['{"approvals":{"people":3}}', /must be 1 or 2/],
    ['{"approvals":{"by":[]}}', /must be a list of at least one name/],
    ['{"approvals":{"by":[""]}}', /must be a list of at least one name/],
    ['{"approvals":{"by":["a", 7]}}', /must be a list of at least one name/],
  ] as const)
    it(`are none in ${text}`, () => assert.throws(() => rulesInText(text, '.claude/konnichiwagwan.json'), why));
});

it('what an approval lacks is said of both who gave it', () => {
  const yes = (by: string, why?: string): Consent => ({ by, at: '2026-05-04', ...(why === undefined ? {} : { why }) });
  const by = (first: Consent, second?: Consent): Approved =>
    ({ ...first, ...(second === undefined ? {} : { second }) }) as Approved;
  for (const [some, approved, ...expected] of [
    [{}, undefined, 'no person approved it'],
    [{}, by(yes(ONE))],
    [{ why: true }, by(yes(ONE, 'Read it.'))],
    [{ why: true }, by(yes(ONE, ' ')), 'no reason is given'],
    [{ why: true }, by(yes(ONE, 'Read it.'), yes(OTHER)), 'no reason is given'],
    [{ by: [[ONE]] }, by(yes(ONE), yes(OTHER)), `"${OTHER}" may not approve here`],
    [{ people: 2 }, by(yes(ONE)), 'a second person has to approve it'],
    [{ people: 2 }, by(yes(ONE), yes(ONE)), 'a second person has to approve it'],
    [{ people: 2, why: true }, by(yes(ONE)), 'no reason is given', 'a second person has to approve it'],
    [{ people: 2 }, by(yes(ONE), yes(OTHER))],
  ] as [Partial<ApprovalRules>, Approved | undefined, ...string[]][])
    assert.deepEqual(lacks(rules(some), approved).map(String), expected);
});

it('names are said to be claims where a rule is about people, and nothing is signed', () => {
  for (const [some, isSaid] of [
    [{}, false],
    [{ why: true, requireRecords: true }, false],
    [{ people: 2 }, true],
    [{ by: [[ONE]] }, true],
    [{ people: 2, by: [[ONE]], signatures: true }, false],
  ] as [Partial<ApprovalRules>, boolean][])
    assert.equal(claimsOnly(rules(some)).length > 0, isSaid, JSON.stringify(some));
});

it('who approves is named as git would write it, by what of it there is', { skip: noGit }, (test) => {
  const folder = mkdtempSync(join(tmpdir(), 'konnichiwagwan-who-'));
  test.after(() => remove(folder));
  const settings = join(folder, 'settings');
  const env = { ...process.env, GIT_CONFIG_GLOBAL: settings, GIT_CONFIG_NOSYSTEM: '1' };
  for (const [user, expected] of [
    ['name = One\nemail = one@example.com', ONE],
    ['name = One', 'One'],
    ['email = one@example.com', '<one@example.com>'],
    ['', systemAccount()?.username ?? 'unknown'],
  ] as const) {
    writeFileSync(settings, `[user]\n${user}\n`);
    assert.equal(whoApproves(folder, env), expected);
  }
});
