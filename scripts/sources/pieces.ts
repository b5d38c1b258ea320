/** How many pieces are held before they are joined. */
const MOST = 1_024;

/** Bytes that arrive in pieces. Small pieces are joined: each costs more memory than the one byte it may hold. */
export class Pieces {
  #joined: Buffer[] = [];
  #small: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    this.#length += piece.length;
    this.#small.push(piece);
    if (this.#small.length < MOST) return;
    this.#joined.push(Buffer.concat(this.#small));
    this.#small = [];
  }

  /** All of them as one. */
  all(): Buffer {
    const pieces = [...this.#joined, ...this.#small];
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  }

  /** All of them as one; leaves none. */
  take(): Buffer {
    const all = this.all();
    [this.#joined, this.#small, this.#length] = [[], [], 0];
    return all;
  }
}
