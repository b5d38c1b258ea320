// Descriptions of parameters that stood in the docstring of a tool, and stand at the parameters now.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { diffContract } from '../scripts/diff/diff.ts';
import { judge } from '../scripts/judge/judge.ts';
import { judgedCall } from './judged-call.ts';
import { tool } from './sandbox.ts';

const [BERTH, TIDE] = ['Name of the berth, in capitals.', 'Height of the tide.'];
const contract = (description: string, words: Record<string, string> = {}): Contract =>
  tool(
    'moor',
    Object.fromEntries(
      ['berth', 'tide'].map((name): [string, JsonObject] => [
        name,
        { type: 'string', ...(words[name] === undefined ? {} : { description: words[name] }) },
      ]),
    ),
    { required: ['berth'] },
    { description },
  );
const atParameters = contract('Moors a boat.', { berth: BERTH, tide: TIDE });
const found = (before: Contract, after: Contract): string[] =>
  diffContract(before, after).map(({ level, path }) => `${level} ${path}`);

describe('a docstring', () => {
  for (const [what, description] of [
    ['at the end', `Moors a boat.\n\nArgs:\n    berth: ${BERTH}\n    tide: ${TIDE}`],
    ['with line ends of Windows', `Moors a boat.\r\n\r\nArgs:\r\n    berth: ${BERTH}\r\n    tide: ${TIDE}\r\n`],
    ['with types', `Moors a boat.\n\nParameters:\n  berth (str): ${BERTH}\n  tide (string): ${TIDE}`],
    ['as a list', `Moors a boat.\n\nArguments:\n- \`berth\`: ${BERTH}\n- \`tide\`: ${TIDE}`],
    [
      'on several lines',
      `Moors a boat.\n\nArgs:\n    berth: Name of the berth,\n        in capitals.\n    tide: ${TIDE}`,
    ],
    ['with dashes', `Moors a boat.\n\nParameters:\n- \`berth\` - ${BERTH}\n- \`tide\` – ${TIDE}`],
    ['in bold', `Moors a boat.\n\n## Parameters\n**berth** (string): ${BERTH}\n**tide** (string): ${TIDE}`],
    [
      'of NumPy',
      `Moors a boat.\n\nParameters\n----------\nberth : str\n    Name of the berth,\n    in capitals.\n\ntide : str, optional\n    ${TIDE}`,
    ],
    ['of Sphinx', `Moors a boat.\n\n:param berth: ${BERTH}\n:param str tide: ${TIDE}`],
    ['of JSDoc', `Moors a boat.\n\n@param {string} berth - ${BERTH}\n@param {string} [tide=low] ${TIDE}`],
    [
      'with a full stop less and a capital letter more',
      `Moors a boat.\n\nArgs:\n    berth: name of the berth, in capitals\n    tide: Height of the tide`,
    ],
  ] as const)
    it(`says the same at its parameters: ${what}`, () => {
      assert.deepEqual(found(contract(description), atParameters), []);
      assert.deepEqual(found(atParameters, contract(description)), []);
    });

  it('leaves what stands behind it', () => {
    const before = contract(`Moors a boat.\n\nArgs:\n    berth: ${BERTH}\n    tide: ${TIDE}\n\nReturns:\n    A slip.`);
    assert.deepEqual(
      found(before, contract('Moors a boat.\n\nReturns:\n    A slip.', { berth: BERTH, tide: TIDE })),
      [],
    );
    assert.notDeepEqual(found(before, atParameters), []);
  });

  it('may say the same as the parameters, which say it then or before, and of some of them alone', () => {
    const words = { berth: BERTH, tide: TIDE };
    const block = (...names: ('berth' | 'tide')[]): string =>
      `Moors a boat.\n\nArgs:\n${names.map((name) => `    ${name}: ${words[name]}`).join('\n')}\n\nReturns:\n    A slip.`;
    const none = 'Moors a boat.\n\nReturns:\n    A slip.';
    for (const [one, other] of [
      [contract(block('berth', 'tide'), words), contract(none, words)],
      [contract(block('berth', 'tide')), contract(block('tide'), { berth: BERTH })],
      [contract(block('berth', 'tide'), { tide: TIDE }), contract(block('berth'), { tide: TIDE })],
    ] as const) {
      assert.deepEqual(found(one, other), []);
      assert.deepEqual(found(other, one), []);
    }
    const [plain, doubled] = [contract(block('berth', 'tide')), contract(block('berth', 'tide'), words)];
    assert.deepEqual(found(plain, doubled), []);
    assert.ok(diffContract(doubled, plain).every(({ effect }) => effect === undefined));
    // What one of both says otherwise counts.
    const inFeet = { ...words, tide: 'Height of the tide in feet.' };
    for (const [before, after] of [
      [contract(block('berth', 'tide'), words), contract(none, inFeet)],
      [contract(block('berth', 'tide')), contract(block('berth', 'tide'), inFeet)],
    ] as const)
      assert.ok(
        diffContract(before, after).some(({ effect }) => effect?.verdict === 'ask'),
        JSON.stringify(after),
      );
  });

  it('that moves to its parameter beside another change is no change for a call', () => {
    const [believed, live] = [
      contract('Moors a boat.\n\nArgs:\n    tide: Height of the tide in feet'),
      { ...contract('Moors a boat.', { tide: 'Height of the tide in feet' }), annotations: { readOnlyHint: true } },
    ] as [Contract, Contract];
    const { changes, decision } = judgedCall(believed, live, { berth: 'A', tide: '9' });
    assert.deepEqual(
      changes.map(({ path }) => path),
      ['/annotations/readOnlyHint'],
    );
    assert.notEqual(decision, 'ask');
  });

  it('of any form that says something else of one parameter concerns calls with that one', () => {
    for (const old of [
      'Moors a boat.\n\nParameters\n----------\nberth : str\n    The berth.\ntide : str\n    Height in feet.\n\nReturns\n-------\nstr',
      'Moors a boat.\n\n:param berth: The berth.\n:param tide: Height in feet.\n:returns: A slip.',
      'Moors a boat.\n\n@param {string} berth The berth.\n@param {string} tide Height in feet.\n@returns A slip.',
      'Moors a boat.\n\n- `berth` - The berth.\n- `tide` - Height in feet.\n\nGives a slip.',
      'Moors a boat.\n\nParameters:\n- **berth** - The berth.\n- **tide** - Height in feet.',
    ]) {
      const changes = diffContract(contract(old), contract(old.replace('feet', 'metres')));
      assert.deepEqual(
        changes.map(({ parameter, effect }) => [parameter, effect?.when]),
        [[['tide'], 'used']],
        old,
      );
      // What stands outside of the entries concerns all calls.
      const other = diffContract(contract(old), contract(old.replace('Moors', 'Deletes')));
      assert.deepEqual(
        other.map(({ parameter, effect }) => [parameter, effect?.when]),
        [[undefined, 'always']],
        old,
      );
    }
  });

  it('that says anything else is a change of words', () => {
    for (const block of [
      `berth: ${BERTH}\n    tide: Depth of the tide.`,
      `berth: ${BERTH}\n    tide (optional, in metres): ${TIDE}`,
      `berth: ${BERTH}\n    tide: ${TIDE}\n    wind: Its force.`,
      `berth: ${BERTH}\n    tide: ${TIDE} ${TIDE}`,
      `tide: Not checked.\n    berth: ${BERTH}\n    tide: ${TIDE}`,
    ]) {
      const changes = diffContract(contract(`Moors a boat.\n\nArgs:\n    ${block}`), atParameters);
      assert.ok(
        changes.some(({ path, level }) => path === '/description' && level === 'semantic'),
        block,
      );
    }
  });

  it('is compared as it is where both have one', () => {
    const both = [BERTH, 'Number of the berth.'].map((words) =>
      contract(`Moors a boat.\n\nArgs:\n    berth: ${words}`),
    );
    assert.deepEqual(found(both[0] as Contract, both[1] as Contract), ['semantic /description']);
  });

  it('that says something else of one parameter concerns calls with that one', () => {
    const concerns = (had: string, has: string): string[] =>
      diffContract(contract(had), contract(has)).map(
        ({ parameter = [], effect }) => `${parameter.join('.')} ${effect?.when ?? 'none'}`,
      );
    const block = (berth: string, tide: string, first = 'Moors a boat.', heading = 'Args:'): string =>
      `${first}\n\n${heading}\n    berth (str): ${berth}\n    tide (str, optional): ${tide}\n\nReturns:\n    A slip.`;
    const old = block(BERTH, 'Height in feet.');
    for (const [has, expected] of [
      [block(BERTH, 'Height in metres.'), ['tide used']],
      [block('Number of the berth.', 'Height in metres.'), ['berth used', 'tide used']],
      [block(BERTH, 'Height in metres.', 'Moors a boat ✅ at a berth.'), ['tide used', ' none']],
      [block(BERTH, 'Height in feet.').replace('(str, optional)', '(float, optional)'), ['tide used']],
      // The whole is compared where anything else is said, or parameters have other names.
      [block(BERTH, 'Height in metres.', 'Deletes a boat.'), [' always']],
      [block(BERTH, 'Height in metres.').replace('tide', 'wave'), [' always']],
    ] as const)
      assert.deepEqual(concerns(old, has), expected, has);
    // What is said of one parameter can be about other calls, too.
    for (const [had, has, expected] of [
      ['Wait, in seconds (default 5)', 'Wait, in minutes (default 5)', 'all'],
      ['Wait, in seconds (default: none)', 'Wait, in minutes (default: none)', 'used'],
      ['The lowest one.', 'The lowest one. The berth is counted from 0.', 'all'],
      ['The lowest one.', 'The lowest one. Berth is ignored.', 'all'],
      ['The lowest one.', 'The lowest one. Old slips are erased.', 'all'],
      ['Slips to purge, in feet.', 'Slips that are purged, in metres.', 'used'],
      ['Keeps the lines if set.', 'The lines are cut unless set.', 'all'],
      ['The lowest one.', 'The lowest one. The boat is locked.', 'all'],
      ['The lowest one.', 'The lowest one. No longer in feet.', 'all'],
    ] as const)
      assert.deepEqual(
        concerns(block(BERTH, had), block(BERTH, has)),
        [`tide ${expected === 'all' ? 'always' : expected}`],
        has,
      );
    for (const [type, expected] of [
      ['str, required', 'omitted'],
      ['float, required', 'always'],
    ] as const)
      assert.deepEqual(concerns(old, old.replace('str, optional', type)), [`tide ${expected}`], type);
    const byDefault = ['Height (default: low)', 'Height (default: high)'].map((tide) => block(BERTH, tide));
    assert.deepEqual(concerns(byDefault[0] as string, byDefault[1] as string), ['tide omitted']);
    const inUnits = ['feet', 'metres'].map(
      (unit): Contract => ({
        ...contract(block(BERTH, `Height in ${unit}.`)),
        inputSchema: { type: 'object', properties: { berth: {}, tide: { type: 'number', default: 3 } } },
      }),
    );
    const [of] = diffContract(inUnits[0] as Contract, inUnits[1] as Contract);
    assert.deepEqual([of?.parameter, of?.effect?.when], [['tide'], 'always']);
    const read = ['live', 'cached'].map((age) => block(BERTH, `The tide. Answers are ${age}.`, 'Moors a boat.'));
    assert.deepEqual(concerns(read[0] as string, read[1] as string), ['tide always']);
    // As Stripe writes it.
    const taken = ['cents', 'yen'].map((unit) =>
      block(BERTH, `Fee in ${unit}.`, 'Moors a boat.', 'It takes two arguments:').replace(/^ +(?=\w+ \()/gm, '- '),
    );
    assert.deepEqual(concerns(taken[0] as string, taken[1] as string), ['tide used']);
  });

  it('that says something else of two parameters is granted for each of them', () => {
    const [believed, live] = [
      ['feet', 'feet'],
      ['metres', 'yards'],
    ].map(([berth, tide]) => contract(`Moors a boat.\n\nArgs:\n    berth: In ${berth}.\n    tide: In ${tide}.`)) as [
      Contract,
      Contract,
    ];
    const reasonsFor = (args: JsonObject, granted: readonly string[] = []): string[] =>
      judge({
        ...{ believed, live, tools: [live], args, policy: { mode: 'guard', trusted: false } },
        settled: (key) => granted.includes(key),
      }).reasons.map(({ key }) => key);
    const granted = reasonsFor({ berth: 'A' });
    assert.equal(granted.length, 1);
    assert.deepEqual(reasonsFor({ berth: 'B' }, granted), []);
    assert.equal(reasonsFor({ berth: 'A', tide: 'B' }, granted).length, 1);
  });
});
