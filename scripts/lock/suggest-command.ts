import { labelOf } from '../contract/label.ts';

/** Labels without special characters for a shell. Others stay out of commands, because a person may paste these. */
const PLAIN = /^[A-Za-z0-9_@+=:.][\w@+=:./~-]{0,127}$/;

/** The command that a person can run for a server or a tool; without its name if that would have to be quoted. */
export const commandFor = (verb: 'approve' | 'pin', server: string, tool?: string): string => {
  const label = [labelOf(server, tool), labelOf(server)].find((text) => PLAIN.test(text));
  return label === undefined ? `konnichiwagwan ${verb}` : `konnichiwagwan ${verb} ${label}`;
};
