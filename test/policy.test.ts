// The mode of a server: the stricter one of the user's and the project's settings, in every combination.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type LoadedConfig, policyFor } from '../scripts/config/config.ts';
import { MODES } from '../scripts/config/settings.ts';
import { defined } from '../scripts/contract/defined.ts';
import type { Mode } from '../scripts/judge/judge.ts';

const SAID: readonly (Mode | undefined)[] = [undefined, ...MODES];

/** Both files' settings for all servers, and for this one. */
const configOf = (user: Mode, ofServer?: Mode, project?: Mode, projectOfServer?: Mode): LoadedConfig => ({
  user: {
    mode: user,
    freshFor: 2,
    servers: ofServer === undefined ? {} : { demo: { mode: ofServer } },
    gateways: {},
    invokers: {},
  },
  project: {
    ...defined({ mode: project }),
    servers: projectOfServer === undefined ? {} : { demo: { mode: projectOfServer } },
    gateways: {},
    invokers: {},
    ignore: [],
  },
  problems: [],
});

describe('the mode of a server', () => {
  it('is the stricter one of the user’s and the project’s; what either says of the server goes before what it says of all', () => {
    let combinations = 0;
    for (const user of MODES) {
      for (const ofServer of SAID) {
        for (const project of SAID) {
          for (const projectOfServer of SAID) {
            combinations++;
            const { mode } = policyFor(configOf(user, ofServer, project, projectOfServer), 'demo');
            const said = [ofServer ?? user, projectOfServer ?? project ?? 'off'].map((one) => MODES.indexOf(one));
            assert.equal(
              MODES.indexOf(mode),
              Math.max(...said),
              [user, ofServer, project, projectOfServer, mode].join(),
            );
          }
        }
      }
    }
    assert.equal(combinations, 500);
  });

  it('is that of all servers for one whose name every object has', () => {
    assert.equal(policyFor(configOf('guard', 'off'), 'constructor').mode, 'guard');
    assert.equal(policyFor(configOf('warn', 'off', 'strict', 'off'), '__proto__').mode, 'strict');
  });
});
