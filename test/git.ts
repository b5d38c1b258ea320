import { spawnSync } from 'node:child_process';

/** Why tests that need git are skipped, for node:test's `skip`; false if git is there. */
export const noGit = spawnSync('git', ['--version']).status !== 0 && 'there is no git';
