import type fc from 'fast-check'
import type { JsonSchema, SchemaObject } from '../../api/jsonSchema.ts'

/** The additional inputs for turning schemas into generators. */
export interface Conversion {
  /** Resolves a `$ref`. */
  readonly resolve: (ref: string) => JsonSchema
  /**
   * Replaces the generator of a schema if more is known: existing ids, allowed targets. `null`: no
   * replacement.
   * @param name of the member that has the schema, or of the list whose items have it; empty for the
   * outermost
   * @param plain the generator of the schema only
   */
  readonly override: (
    name: string,
    schema: SchemaObject,
    plain: () => fc.Arbitrary<unknown>,
  ) => fc.Arbitrary<unknown> | null
}

/** An unsupported schema: the generator must support it, or it is a mistake. */
export class CannotGenerateError extends Error {
  override readonly name = 'CannotGenerateError'
}
