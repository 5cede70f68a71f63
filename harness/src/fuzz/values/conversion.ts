import type fc from 'fast-check'
import type { JsonSchema, SchemaObject } from '../../api/jsonSchema.ts'

/** What turning schemas into generators needs besides the schemas. */
export interface Conversion {
  /** What a `$ref` points at. */
  readonly resolve: (ref: string) => JsonSchema
  /**
   * Takes the place of what the schema alone would give, where more is known than it says: ids that exist, targets that
   * may be called. `null`: nothing is.
   * @param name of the member that has the schema, also of a list that has it for its items; empty for the outermost
   * @param plain what the schema alone gives
   */
  readonly override: (
    name: string,
    schema: SchemaObject,
    plain: () => fc.Arbitrary<unknown>,
  ) => fc.Arbitrary<unknown> | null
}

/** A schema from which nothing can be generated: the generator has to learn it, or it is a mistake. */
export class CannotGenerateError extends Error {
  override readonly name = 'CannotGenerateError'
}
