import { holdsDocuments, targetOf } from '../contract/references.ts';
import type { Json, JsonObject } from '../contract/types.ts';

/**
 * Where a schema stands: the document that its references point into, and the side of the proof. `made` is what the proof
 * adds by itself: it holds no references.
 */
export class Scope {
  constructor(
    readonly document: Json,
    readonly side: 'before' | 'after' | 'made',
  ) {}

  /** The scope inside a schema that stands in this one. */
  at(_schema: JsonObject): Scope {
    return this;
  }

  /** What a reference leads to, and the scope there; undefined if it leads nowhere. */
  resolve(reference: Json): [Json, Scope] | undefined {
    if (typeof reference !== 'string' || holdsDocuments(this.document)) return undefined;
    const target = targetOf(reference, this.document);
    return target === undefined ? undefined : [target, this];
  }
}

export const MADE = new Scope(true, 'made');
