import { nameOf, pointer } from './json-pointer.ts';

/** `SERVER/TOOL` on one line. A slash in the server's name is `~1`, as in a JSON Pointer: no two places look alike. */
export const labelOf = (server: string, tool?: string): string => {
  const escaped = pointer(server).slice(1);
  return tool === undefined ? escaped : `${escaped}/${tool}`;
};

/** Reads what `labelOf` wrote, with or without a tool. */
export const readLabel = (label: string): { server: string; tool?: string } => {
  const slash = label.indexOf('/');
  const server = nameOf(slash < 0 ? label : label.slice(0, slash));
  return slash < 0 ? { server } : { server, tool: label.slice(slash + 1) };
};
