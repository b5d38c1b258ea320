/** Milliseconds since this process began; the calendar does not matter. `performance` takes two of them to load. */
export const elapsed = (): number => process.uptime() * 1000;
