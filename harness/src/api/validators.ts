import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'

/** What is wrong with a value, one line for each mistake; none when it is valid. */
export type Validate = (value: unknown) => readonly string[]

const MISTAKES_SHOWN = 10
const DOCUMENT_URI = 'document:openapi'
/** A document is no schema, yet holds schemas; these are its own members. */
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

/** Compiles schemas that stand anywhere in one document, each when it is first asked for. */
export class Validators {
  readonly #ajv: Ajv2020
  readonly #compiled = new Map<string, Validate>()

  constructor(document: object) {
    // Strict: a keyword or a format that nobody knows is a mistake of the document and not to be passed over.
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

/** Templates of paths have braces in them, which no URI has. */
const fragmentOf = (pointer: string) => encodeURI(pointer)

function lineOf({ instancePath, message, params }: ErrorObject): string {
  const detail = Object.keys(params).length === 0 ? '' : ` ${JSON.stringify(params)}`
  return `${instancePath === '' ? 'the whole' : instancePath} ${message ?? 'is not valid'}${detail}`
}
