/**
 * How many announcements we follow up at once, and the pause after the next one, in ms: doubled while they go on, up to a
 * limit.
 */
const PAUSE = { none: 3, first: 250, longest: 30_000 };
/** After this long without an announcement, the next one is followed up at once again, in ms. */
const CALM = 60_000;

/** How fast announcements of one source are followed up. Times are in ms, of a clock that only goes forward. */
export class Pace {
  /** Questions that announcements caused, one soon after the other. */
  #hurried = 0;
  #quietUntil = 0;

  /** How long the next question has to wait. */
  waitAt(now: number): number {
    if (now - this.#quietUntil > CALM) this.#hurried = 0;
    return Math.max(0, this.#quietUntil - now);
  }

  askedAt(now: number): void {
    const doubled = this.#hurried++ - PAUSE.none;
    this.#quietUntil = now + (doubled < 0 ? 0 : Math.min(PAUSE.longest, PAUSE.first * 2 ** doubled));
  }
}
