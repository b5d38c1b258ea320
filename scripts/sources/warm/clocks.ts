import { type Moment, thisMoment } from '../../state/circumstances.ts';

/** So long may pass between two ticks, and so far apart may the clocks go meanwhile, in ms. */
const MOST = { pause: 5_000, apart: 1_000 };

/**
 * Watches whether time goes on as it should. After a sleep, or where this process was held up, what a connection did not
 * bring means nothing.
 */
export class Clocks {
  #last = thisMoment();

  /** Whether nothing has interrupted us since the last tick. */
  isSteady(now: Moment = thisMoment()): boolean {
    const [calendar, machine] = [now.at - this.#last.at, now.up - this.#last.up];
    return machine < MOST.pause && Math.abs(calendar - machine) < MOST.apart;
  }

  /** To be called every second or so. Returns what `isSteady` said until then. */
  tick(): boolean {
    const now = thisMoment();
    const wasSteady = this.isSteady(now);
    this.#last = now;
    return wasSteady;
  }
}
