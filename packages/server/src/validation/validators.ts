import {
  Ajv2020,
  type CodeOptions,
  type ErrorObject,
  type Format,
  type Options,
  type ValidateFunction,
} from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { lazy } from '../core/lazy.ts'

/** Tells whether a value fits; `errors` then says what is wrong with the last one that did not. */
export interface Validator {
  (value: unknown): boolean
  errors: ErrorObject[] | null
}

/**
 * Objects, lists and leaves in a value whose mistakes are all collected, which takes some 10 ms. A body of 5 MB holds
 * millions: to name each mistake would block this process for ten seconds.
 */
const MOST_PARTS = 6_000

/**
 * Makes validators that name every mistake in a value of a sensible size, and the first one in a larger value. A schema is
 * compiled when its first value comes.
 */
export function createValidators(options: Options = {}): (schema: object) => Validator {
  const first = lazy(() => newAjv({ ...options, allErrors: false }))
  const all = lazy(() => newAjv({ ...options, allErrors: true }))
  return (schema) => {
    const findFirst = lazy(() => first().compile(schema))
    // Most schemas never see a bad value.
    const findAll = lazy(() => all().compile(schema))
    const validator: Validator = (value) => {
      validator.errors = null
      const fits: ValidateFunction = findFirst()
      if (fits(value)) return true
      validator.errors = fits.errors ?? []
      if (hasMoreParts(value, MOST_PARTS)) return false
      findAll()(value)
      validator.errors = findAll().errors ?? validator.errors
      return false
    }
    validator.errors = null
    return validator
  }
}

function newAjv(options: Options): Ajv2020 {
  // Messages need the whole schema, not only the keyword that failed.
  const ajv = new Ajv2020({ strict: true, verbose: true, code: { regExp: wholeCharacters }, ...options })
  addFormats.default(ajv)
  for (const [name, format] of Object.entries(ajv.formats)) {
    const matches = matcherOf(format)
    if (matches !== null) ajv.addFormat(name, (text: string) => text.length > LONGEST || matches(text))
  }
  return ajv
}

/**
 * The format of longer texts is not checked, since the expressions take up to 200 ms for them. They are rejected by
 * `maxLength`, which every schema with a format has.
 */
const LONGEST = 8_192

function matcherOf(format: Format | undefined): ((text: string) => boolean) | null {
  if (format instanceof RegExp) return (text) => format.test(text)
  return typeof format === 'function' ? (format as (text: string) => boolean) : null
}

/**
 * Patterns that match no half of a surrogate pair. A class such as `[^a]` would match halves, and a pattern cannot exclude
 * them in a way that other languages understand, since they are no characters there. PostgreSQL cannot store them either.
 */
const wholeCharacters: NonNullable<CodeOptions['regExp']> = Object.assign(
  (pattern: string, flags: string) => {
    const regExp = new RegExp(pattern, flags)
    if (!pattern.includes('[^')) return regExp
    return {
      test: (text: string) => regExp.test(text) && !LONE_SURROGATE.test(text),
      // Ajv tells patterns apart by it.
      toString: () => String(regExp),
    }
  },
  // Only for validators that are written to files.
  { code: 'new RegExp' },
)

const LONE_SURROGATE = /\p{Surrogate}/u

/** Does not call itself: nothing is known yet about the depth of the value. */
function hasMoreParts(value: unknown, most: number): boolean {
  const queue: unknown[] = [value]
  let parts = 0
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (typeof next !== 'object' || next === null) continue
    const inner: readonly unknown[] = Array.isArray(next) ? next : Object.values(next)
    parts += inner.length
    if (parts > most) return true
    for (const part of inner) queue.push(part)
  }
  return false
}
