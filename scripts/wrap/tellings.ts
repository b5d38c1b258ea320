// Puts texts for the model into answers to calls that were sent: hosts show the model nothing else of ours.
import { setBounded } from './bounded.ts';
import { idTextOf } from './message.ts';
import type { Outlined } from './outline.ts';

const MOST_OWED = 10_000;
/** How many characters of texts that had no place in their answers may wait for the next answer that has one. */
const LONGEST_LEFT = 4_000;

interface PlacedBytes {
  at: number;
  bytes: Buffer;
}

/** A text as the part of an answer's line that holds texts. */
const partFor = ({ content, error }: Outlined, text: string): PlacedBytes | undefined => {
  if (content !== undefined) {
    const part = JSON.stringify({ type: 'text', text });
    return { at: content.at, bytes: Buffer.from(content.isEmpty ? part : `${part},`) };
  }
  return error === undefined ? undefined : { at: error, bytes: Buffer.from(JSON.stringify(`\n${text}`).slice(1, -1)) };
};

const withParts = (line: Buffer, parts: readonly PlacedBytes[]): Buffer => {
  let from = 0;
  const pieces = [...parts]
    .sort((a, b) => a.at - b.at)
    .flatMap(({ at, bytes }) => {
      const before = line.subarray(from, at);
      from = at;
      return [before, bytes];
    });
  return Buffer.concat([...pieces, line.subarray(from)]);
};

const isAnswer = (message: Outlined): message is Outlined & { id: string } =>
  message.id !== undefined && message.isAnswer && message.method === undefined;

export class Tellings {
  /** By the id of the call. */
  readonly #owed = new Map<string, string>();
  /** Texts that had no place in their answers. They come with the next answer of a tool, whichever that is. */
  #left = '';

  get isOwing(): boolean {
    return this.#owed.size > 0 || this.#left !== '';
  }

  owe(idText: string, text: string): void {
    setBounded(this.#owed, idText, text, MOST_OWED);
  }

  /** The host begins again: it waits for no earlier answer, and gives the ids of its calls to other ones. */
  forget(): void {
    this.#owed.clear();
    this.#left = '';
  }

  /** Adds the waiting texts to the answers in a line of the server. All other bytes stay. */
  into(line: Buffer, messages: readonly Outlined[]): Buffer {
    if (!this.isOwing) return line;
    const parts = messages.flatMap((message) => {
      const texts = [this.#left, this.#take(message) ?? ''].filter((text) => text !== '');
      if (texts.length === 0 || !isAnswer(message)) return [];
      const whole = texts.join('\n');
      const part = partFor(message, whole);
      this.#left = part === undefined ? whole.slice(0, LONGEST_LEFT) : '';
      return part ?? [];
    });
    return parts.length === 0 ? line : withParts(line, parts);
  }

  /** Answers that passed while they were read: their texts wait for the next answer that has a place for them. */
  missed(messages: readonly Outlined[]): void {
    for (const message of messages) {
      const text = this.#take(message);
      if (text !== undefined) this.#left = `${this.#left}\n${text}`.trim().slice(0, LONGEST_LEFT);
    }
  }

  #take(message: Outlined): string | undefined {
    if (!isAnswer(message)) return undefined;
    const key = idTextOf(message.id);
    const text = this.#owed.get(key);
    this.#owed.delete(key);
    return text;
  }
}
