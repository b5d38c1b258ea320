/** `SERVER/TOOL` on one line. A slash in the server's name is `~1`, as in a JSON Pointer: no two places look alike. */
export const labelOf = (server: string, tool?: string): string => {
  const escaped = server.replaceAll('~', '~0').replaceAll('/', '~1');
  return tool === undefined ? escaped : `${escaped}/${tool}`;
};

/** Reads what `labelOf` wrote, with or without a tool. */
export const readLabel = (label: string): { server: string; tool?: string } => {
  const slash = label.indexOf('/');
  const server = (slash < 0 ? label : label.slice(0, slash)).replaceAll('~1', '/').replaceAll('~0', '~');
  return slash < 0 ? { server } : { server, tool: label.slice(slash + 1) };
};

/** Names that no shell reads anything into. Others stay out of commands: a person may paste them. */
const PLAIN = /^[A-Za-z0-9_@+=:.][\w@+=:./~-]{0,127}$/;

/** What a person types about a server or a tool. Without names that would have to be quoted. */
export const commandFor = (verb: 'approve' | 'pin', server: string, tool?: string): string => {
  const label = [labelOf(server, tool), labelOf(server)].find((text) => PLAIN.test(text));
  return label === undefined ? `konnichiwagwan ${verb}` : `konnichiwagwan ${verb} ${label}`;
};
