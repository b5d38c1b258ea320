import { toJson } from '../contract/to-json.ts';
import { writeError } from '../guard/answer.ts';
import { quoteText } from '../text/quote.ts';
import { logCall } from './call-log.ts';
import type { JudgeSettings } from './judge-served.ts';
import type { WasListed } from './own-requests.ts';
import type { HeldCall } from './types.ts';

/** Tells the person of a release, once, with the first call after it, and logs calls that were passed on. */
export class ReleaseWatch {
  /** The last list that the host was given, and the last one that was compared with it. */
  #given: readonly unknown[] | undefined;
  #compared: unknown;

  /**
   * @param judging the server's name, and how its calls are judged
   * @param shown a tool's name without secrets
   */
  constructor(
    private readonly judging: JudgeSettings,
    private readonly shown: (name: string) => string,
  ) {}

  /** The host was given a list. */
  given(tools: readonly unknown[]): void {
    this.#given = tools;
    this.#compared = undefined;
  }

  /**
   * A call was passed on.
   * @param compares whether lists are compared here: beside a guard, the guard does it
   */
  passed(call: HeldCall, compares: boolean): void {
    const { listed } = call;
    const given = this.#given;
    if (compares && listed.failed === undefined && given !== undefined && this.#isReleased(given, listed))
      // The call was sent, and its tool is unchanged: a failure here is reported and ends nothing.
      this.#tell(call, given, listed.tools).catch((error) => {
        const why = quoteText(String(error).slice(0, 300));
        writeError(`konnichiwagwan: the server's list changed, and could not be compared (${why})`);
        this.#log(call, 'notice');
      });
    else this.#log(call, 'silence');
  }

  /** Whether a list is new to us and differs from what the host was given. */
  #isReleased(given: readonly unknown[], listed: WasListed): boolean {
    if (listed === this.#compared) return false;
    this.#compared = listed;
    return toJson(given) !== toJson(listed.tools);
  }

  async #tell(call: HeldCall, before: readonly unknown[], after: readonly unknown[]): Promise<void> {
    const { releaseLine } = await import('./judging.ts');
    const line = releaseLine(this.judging, before, after);
    if (line !== undefined) writeError(line);
    this.#log(call, line === undefined ? 'silence' : 'notice');
  }

  #log(call: HeldCall, verdict: 'silence' | 'notice'): void {
    const { env, name } = this.judging;
    logCall(env, name, { name: this.shown(call.name) }, { verdict });
  }
}
