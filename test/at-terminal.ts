// Commands at a person's terminal: one that the driver plays or, for built programs, a real one.
import { driveAtTerminal } from './drive-streams.ts';
import { runsHere } from './programs-here.ts';
import { answering, type OpenTerminal, openRealTerminal, PLAIN, whyNoTerminal } from './terminal.ts';

/** Why tests cannot play a person here; false if they can. */
export const whyNoPerson = runsHere({}, []) ? false : whyNoTerminal;

/** Starts a command at a person's terminal. */
export const openTerminal: OpenTerminal = (env, args, see) =>
  runsHere(env, args) ? driveAtTerminal(args, { ...PLAIN, ...env }, see) : openRealTerminal(env, args, see);

/** Runs a command at a person's terminal: types the digits, and each answer when its question is there. */
export const atTerminal = answering(openTerminal);
