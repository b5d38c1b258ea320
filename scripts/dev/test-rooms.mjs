// Which tests cover a room: read from the list in ARCHITECTURE.md.
import { readFileSync } from 'node:fs';

const LIST = /```tests\n([\s\S]*?)```/.exec(readFileSync('ARCHITECTURE.md', 'utf8'))?.[1] ?? '';

/** The rooms, each with the patterns of its tests' names. */
const rooms = new Map();
for (const [, room, patterns] of LIST.matchAll(/^([\w-]+) ((?:.*)(?:\n +.*)*)$/gm))
  rooms.set(
    room,
    patterns
      .trim()
      .split(/\s+/)
      .map((pattern) => new RegExp(`^${pattern.replace('*', '.*')}$`)),
  );

export const roomNames = [...rooms.keys()];

/** The rooms whose lines name a test: one, where the list is right. */
export const roomsOfTest = (name) => roomNames.filter((room) => rooms.get(room).some((pattern) => pattern.test(name)));
