import { documentAt, follow, holdsDocuments } from '../contract/references.ts';
import type { Json, JsonObject } from '../contract/types.ts';

/**
 * Where a schema belongs: the side of the proof, and the document that its references are relative to, which may be embedded
 * in another one. `made` is for what the proof itself adds: it holds no references.
 */
export class SchemaScope {
  private readonly embedded = new Map<Json, SchemaScope>();

  constructor(
    readonly root: Json,
    readonly side: 'before' | 'after' | 'made',
    private readonly document: Json = root,
    private readonly whole?: SchemaScope,
  ) {}

  /** The scope inside a schema that is in this scope. */
  at(schema: JsonObject): SchemaScope {
    return holdsDocuments(this.root) ? this.of(documentAt(schema, this.root, this.document)) : this;
  }

  /** What a reference leads to, and the scope there; undefined if it leads nowhere. */
  resolve(reference: Json): [Json, SchemaScope] | undefined {
    const target = typeof reference === 'string' ? follow(reference, this.root, this.document) : undefined;
    return target === undefined ? undefined : [target.schema, this.of(target.document)];
  }

  /** The scope of a document: the same object each time, since results are remembered by scope. */
  private of(document: Json): SchemaScope {
    if (document === this.document) return this;
    const whole = this.whole ?? this;
    if (document === whole.document) return whole;
    const scope = whole.embedded.get(document) ?? new SchemaScope(whole.root, whole.side, document, whole);
    whole.embedded.set(document, scope);
    return scope;
  }
}

export const MADE = new SchemaScope(true, 'made');
