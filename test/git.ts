import { spawnSync } from 'node:child_process';

/** Why what needs git is skipped, for node:test's `skip`; false where it is there. */
export const noGit = spawnSync('git', ['--version']).status !== 0 && 'there is no git';
