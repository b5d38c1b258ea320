import { labelOf } from '../contract/label.ts';

/** Names that no shell reads anything into. Others stay out of commands: a person may paste them. */
const PLAIN = /^[A-Za-z0-9_@+=:.][\w@+=:./~-]{0,127}$/;

/** What a person types about a server or a tool. Without names that would have to be quoted. */
export const commandFor = (verb: 'approve' | 'pin', server: string, tool?: string): string => {
  const label = [labelOf(server, tool), labelOf(server)].find((text) => PLAIN.test(text));
  return label === undefined ? `konnichiwagwan ${verb}` : `konnichiwagwan ${verb} ${label}`;
};
