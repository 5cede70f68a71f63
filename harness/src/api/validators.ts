import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'

/** Checks a value and returns one line for each error; empty when it is valid. */
export type Validate = (value: unknown) => readonly string[]

const MISTAKES_SHOWN = 10
const DOCUMENT_URI = 'document:openapi'
/** A document is not a schema but contains schemas; these are its own members. */
const DOCUMENT_MEMBERS = [
  'openapi',
  'info',
  'jsonSchemaDialect',
  'servers',
  'paths',
  'webhooks',
  'components',
  'security',
  'tags',
  'externalDocs',
]

/** Compiles schemas anywhere in one document, each on first use. */
export class Validators {
  readonly #ajv: Ajv2020
  readonly #compiled = new Map<string, Validate>()

  constructor(document: object) {
    // Strict: an unknown keyword or format is a mistake in the document and must not be ignored.
    this.#ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, allErrors: false })
    // The plugin is CommonJS, and its types describe the module as its own default.
    ajvFormats.default(this.#ajv)
    this.#ajv.addVocabulary(DOCUMENT_MEMBERS)
    this.#ajv.addSchema(document, DOCUMENT_URI, false, false)
  }

  /** @param pointer with `#` before it */
  at(pointer: string): Validate {
    const known = this.#compiled.get(pointer)
    if (known !== undefined) return known
    const compiled = this.#ajv.compile({ $ref: `${DOCUMENT_URI}${fragmentOf(pointer)}` })
    const validate: Validate = (value) =>
      compiled(value) ? [] : (compiled.errors ?? []).slice(0, MISTAKES_SHOWN).map(lineOf)
    this.#compiled.set(pointer, validate)
    return validate
  }
}

/** Path templates contain braces, which are not allowed in a URI. */
const fragmentOf = (pointer: string) => encodeURI(pointer)

function lineOf({ instancePath, message, params }: ErrorObject): string {
  const detail = Object.keys(params).length === 0 ? '' : ` ${JSON.stringify(params)}`
  return `${instancePath === '' ? 'the whole' : instancePath} ${message ?? 'is not valid'}${detail}`
}
