import fastJson, { type Schema } from 'fast-json-stringify'
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify'
import { lazy } from '../../core/lazy.ts'
import type { ServedProfile } from '../../profiles/compile.ts'
import { type InputError, toInputError } from '../../validation/inputErrors.ts'
import { LINEAR } from '../../validation/linearPatterns.ts'
import { createValidators, type Validator } from '../../validation/validators.ts'
import { inputErrorsOf } from './errors.ts'
import { invalidRequest } from './problems.ts'

/** Compiles the schema of a body, or of what such a body holds. */
export const bodyValidator = createValidators({ allowUnionTypes: true })
const addedBodyValidator = createValidators({ allowUnionTypes: true, ...LINEAR })
/** Of a service, whose profile may hold schemas of an operator. */
export const bodyValidatorOf = ({ version }: Pick<ServedProfile, 'version'>) =>
  version === 0 ? bodyValidator : addedBodyValidator
/** Compiles the schema of parameters of a path, a query string or headers: numbers and booleans are read from their texts. */
export const parameterValidator = createValidators({
  allowUnionTypes: true,
  coerceTypes: true,
  strictNumbers: false,
})

const compileValidator: FastifySchemaCompiler<unknown> = ({ schema, httpPart }) =>
  (httpPart === 'body' ? bodyValidator : parameterValidator)(schema as object)

/**
 * Bodies are taken as they are: no coercion, nothing removed, no defaults. A query string has only strings, so
 * there numbers and booleans are read from them. Every schema is compiled when it is first needed: to do so with all
 * of them takes a third of a start, and most are never needed.
 */
export function compileSchemas(app: FastifyInstance): void {
  app.setValidatorCompiler(compileValidator)
  app.setSerializerCompiler(({ schema }) => {
    const write = lazy(() => fastJson(schema as Schema))
    return (value) => write()(value)
  })
  // The error handler words the answer from the list of errors; Fastify's own message would be thrown away.
  app.setSchemaErrorFormatter(() => new Error('invalid'))
}

/** Whatever a client sent, as an object; anything else has no members, and the schema has said so already. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** More mistakes than this are not listed: readers stop there, and deduplicating more gets slow. */
const ENOUGH = 500

/**
 * Mistakes in a body, collected from its schema and from checks that no schema can express, so that one answer
 * names them all. For routes with `attachValidation`.
 */
export class Mistakes {
  readonly #errors: InputError[]

  constructor(request: FastifyRequest) {
    const { validationError } = request
    this.#errors =
      validationError === undefined ? [] : inputErrorsOf(validationError.validation.slice(0, ENOUGH))
    // A query string that does not hold is refused here as well, in its own words.
    if (validationError !== undefined && validationError.validationContext !== 'body') throw validationError
  }

  /** True when the schema found nothing and no check has either: members then have their declared types. */
  get none(): boolean {
    return this.#errors.length === 0
  }

  /** True when looking for more is pointless. */
  get enough(): boolean {
    return this.#errors.length >= ENOUGH
  }

  add(pointer: string, message: string): void {
    this.addAll([{ pointer, message }])
  }

  /** @param at pointer of the value in the body */
  check(fits: Validator, value: unknown, at: string): void {
    if (!fits(value)) this.addAll(fits.errors!.slice(0, ENOUGH).map((error) => toInputError(error, at)))
  }

  /**
   * Says what is wrong with a member in the words of a check, which knows more than the schema.
   * @param where the schema says it, if it does
   */
  addInstead(pointer: string, message: string, where = pointer): void {
    for (let i = this.#errors.length - 1; i >= 0; i--) {
      if (this.#errors[i]!.pointer === where) this.#errors.splice(i, 1)
    }
    this.add(pointer, message)
  }

  /** The schema of a body and that of an event may both complain about one member; one complaint is enough. */
  addAll(errors: readonly InputError[]): void {
    for (const error of errors) {
      if (this.enough) return
      const known = this.#errors.some((e) => e.pointer === error.pointer && e.message === error.message)
      if (!known) this.#errors.push(error)
    }
  }

  throwIfAny(): void {
    if (this.#errors.length > 0) throw invalidRequest(this.#errors)
  }
}
