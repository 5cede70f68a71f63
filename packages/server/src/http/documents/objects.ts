import type { JsonSchema } from '../../core/catalog.ts'

/** The parts of an OpenAPI 3.1 document that are used here. */
export interface Media {
  readonly schema: JsonSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, unknown>>
}

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Readonly<Record<string, Media>>
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
  readonly example?: unknown
}

/** Names of security schemes with the scopes they must hold: any of the list is enough. */
export type Security = readonly Readonly<Record<string, readonly string[]>>[]

export interface Operation {
  readonly operationId?: string
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly security?: Security
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Response>>
}

/** By path and lower-case method. */
export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>
