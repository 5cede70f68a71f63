import type { ErrorObject } from 'ajv/dist/2020.js'
import type { Catalog } from '../core/catalog.ts'
import { createValidators, type Validator } from './validators.ts'

/** One thing that is wrong with an input, and where. `pointer` is an RFC 6901 JSON pointer. */
export interface InputError {
  readonly pointer: string
  readonly message: string
}

/** Checks what services publish against the catalog of their dialect. */
export interface EventSchemas {
  /**
   * @param value `data` (content) or `payload` (ads)
   * @param at pointer of `value` in the request
   * @returns what is wrong; empty when it fits
   */
  readonly errorsOf: (type: string, value: unknown, at: string) => readonly InputError[]
}

/** Compiles each type's schema on its first use: a catalog of dozens would otherwise slow every start. */
export function createEventSchemas(catalog: Catalog): EventSchemas {
  const compile = createValidators()
  const compiled = new Map<string, Validator>()
  const validatorOf = (type: string): Validator => {
    let validate = compiled.get(type)
    if (validate === undefined) {
      const entry = catalog.get(type)
      if (entry === undefined) throw new Error(`${type} is not in the catalog`)
      validate = compile(entry.schema)
      compiled.set(type, validate)
    }
    return validate
  }
  return {
    errorsOf(type, value, at) {
      const validate = validatorOf(type)
      return validate(value) ? [] : (validate.errors ?? []).map((error) => toInputError(error, at))
    },
  }
}

/** Puts an error of Ajv in words that say what would be right. Also used for request bodies. */
export function toInputError(error: ErrorObject, at: string): InputError {
  const pointer = at + error.instancePath
  switch (error.keyword) {
    case 'required':
      return { pointer: `${pointer}/${escapePointer(error.params.missingProperty)}`, message: 'is required' }
    case 'additionalProperties':
      return {
        pointer: `${pointer}/${escapePointer(error.params.additionalProperty)}`,
        message: 'is not a known member here; remove it',
      }
    case 'enum':
      return { pointer, message: `must be one of ${error.params.allowedValues.join(', ')}` }
    case 'const':
      return { pointer, message: `must be ${JSON.stringify(error.params.allowedValue)}` }
    default:
      return { pointer, message: error.message ?? 'is not valid' }
  }
}

function escapePointer(member: string): string {
  return member.replaceAll('~', '~0').replaceAll('/', '~1')
}
