// Descriptions of parameters that stood in the docstring of a tool, and stand at the parameters now.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Contract, JsonObject } from '../scripts/contract/types.ts';
import { diffContract } from '../scripts/diff/diff.ts';
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
});
