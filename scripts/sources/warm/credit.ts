/** How many background questions calls can save up. */
const MOST = 3;
/** The next call is taken for one that reads if one of the last so many did: that stays cheap in any order of reads and writes. */
const RECENT = 4;

/** The questions in the background that calls of one source have earned: a call's own question costs none. */
export class Credit {
  #left = 1;
  /** Calls since the last prompt, and how many there were between the two prompts before, where any were. */
  #calls = 0;
  #callsBefore: number | undefined;
  /** Calls since the last one that read. */
  #sinceRead = RECENT;

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  spend(): void {
    this.#left--;
  }

  /** @returns whether a question now may serve the next call */
  called(reads: boolean): boolean {
    this.#left = Math.min(this.#left + 1, MOST);
    this.#calls++;
    this.#sinceRead = reads ? 0 : this.#sinceRead + 1;
    // A question after the last call before a prompt serves no call. The previous round suggests which call is the last.
    return this.#mayRead && this.#calls !== this.#callsBefore;
  }

  /** @returns as `called` */
  prompted(): boolean {
    if (this.#calls > 0) {
      this.#left = Math.max(this.#left, 1);
      this.#callsBefore = this.#calls;
      this.#calls = 0;
    }
    return this.#mayRead;
  }

  /** Whether an answer from before the next call may be enough for it. */
  get #mayRead(): boolean {
    return this.#sinceRead < RECENT;
  }
}
