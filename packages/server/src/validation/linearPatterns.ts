import type { CodeOptions, Options } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'

/** What a pattern is compiled to at most. To match costs at most this many steps for each character of a text. */
const LARGEST_PROGRAM = 1_000

/** @throws Error, in words, for a pattern that cannot be matched in time linear in the text */
function compiled(pattern: string): RE2JS {
  let made: RE2JS
  try {
    made = RE2JS.compile(RE2JS.translateRegExp(pattern))
  } catch (error) {
    throw new Error(
      `the pattern ${pattern} cannot be used (${messageOf(error)}); look-around and back-references are not supported`,
    )
  }
  if (made.programSize() <= LARGEST_PROGRAM) return made
  throw new Error(`the pattern ${pattern} is too large; repeat less, or use maxLength instead`)
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const linear: NonNullable<CodeOptions['regExp']> = Object.assign(
  (pattern: string, flags: string) => {
    const made = compiled(pattern)
    return {
      test: (text: string) => made.test(text),
      // Ajv tells patterns apart by it.
      toString: () => `/${pattern}/${flags}`,
    }
  },
  // Only for validators that are written to files.
  { code: 'new RegExp' },
)

/**
 * For schemas that operators write: no text can make a pattern run for long, as `^(a+)+$` does in the engine of JavaScript.
 * What every object inherits counts for nothing.
 */
export const LINEAR = { code: { regExp: linear }, ownProperties: true } as const satisfies Options
