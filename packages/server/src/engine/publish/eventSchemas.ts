import type { Options } from 'ajv/dist/2020.js'
import { type Catalog, type JsonSchema, typeOf } from '../../core/catalog.ts'
import { type InputError, toInputError } from '../../validation/inputErrors.ts'
import { createValidators, type Validator } from '../../validation/validators.ts'

/** Validates published events against the catalog. */
export interface EventSchemas {
  /**
   * @param value the data of an event
   * @param at pointer of `value` in the request
   * @returns what is wrong; empty when it fits
   */
  readonly errorsOf: (type: string, value: unknown, at: string) => readonly InputError[]
}

/** More errors do not help a reader, and describing each takes time. */
const MOST_ERRORS = 500

/**
 * Compiles each type's schema at its first use: a catalog of dozens would otherwise slow down every start.
 * @param options such as `LINEAR`, for schemas of operators
 */
export function createEventSchemas(catalog: Catalog, options: Options = {}): EventSchemas {
  const compile = createValidators(options)
  // By schema: unlisted types share one.
  const compiled = new WeakMap<JsonSchema, Validator>()
  const validatorOf = (type: string): Validator => {
    const entry = typeOf(catalog, type)
    if (entry === undefined) throw new Error(`${type} is not in the catalog`)
    let validate = compiled.get(entry.schema)
    if (validate === undefined) {
      validate = compile(entry.schema)
      compiled.set(entry.schema, validate)
    }
    return validate
  }
  return {
    errorsOf(type, value, at) {
      const validate = validatorOf(type)
      return validate(value)
        ? []
        : (validate.errors ?? []).slice(0, MOST_ERRORS).map((error) => toInputError(error, at))
    },
  }
}
