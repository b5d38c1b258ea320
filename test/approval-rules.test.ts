// The rules of approvals: which require less than others did, and what several files require together.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApprovalRules, areTwoPeople, bothRules, isWeaker, mayApprove, NO_RULES } from '../scripts/lock/rules.ts';

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
