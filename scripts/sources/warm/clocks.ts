import { type Moment, thisMoment } from '../../state/circumstances.ts';

/** How much time may pass between two ticks, and how far the clocks may drift apart meanwhile, in ms. */
const MOST = { pause: 5_000, apart: 1_000 };

/**
 * Watches whether time passes normally. After the machine slept or this process was held up, silence on a connection means
 * nothing.
 */
export class Clocks {
  #last = thisMoment();

  /** Whether nothing has interrupted us since the last tick. */
  isSteady(now: Moment = thisMoment()): boolean {
    const [calendar, machine] = [now.at - this.#last.at, now.up - this.#last.up];
    return machine < MOST.pause && Math.abs(calendar - machine) < MOST.apart;
  }

  /** Call about every second. Returns what `isSteady` said until then. */
  tick(): boolean {
    const now = thisMoment();
    const wasSteady = this.isSteady(now);
    this.#last = now;
    return wasSteady;
  }
}
