import { nameOf, pointer } from './json-pointer.ts';

/** `SERVER/TOOL`, or `SERVER` alone. A slash in the server's name becomes `~1`, so that no two tools share a label. */
export const labelOf = (server: string, tool?: string): string => {
  const escaped = pointer(server).slice(1);
  return tool === undefined ? escaped : `${escaped}/${tool}`;
};

/** Parses a label that `labelOf` made, with or without a tool. */
export const readLabel = (label: string): { server: string; tool?: string } => {
  const slash = label.indexOf('/');
  const server = nameOf(slash < 0 ? label : label.slice(0, slash));
  return slash < 0 ? { server } : { server, tool: label.slice(slash + 1) };
};
