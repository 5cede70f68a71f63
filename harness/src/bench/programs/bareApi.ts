/** A JSON Schema of a document, with references resolved. */
export type Schema = Readonly<Record<string, unknown>>

/**
 * The baseline of the API: a Fastify route with the service's schemas, and one statement on an indexed SQLite
 * table that is synced to disk as the service's is. No key, no audit log, no other thread.
 */
export interface BareApiStart {
  readonly databaseFile: string
  readonly create: { readonly body: Schema; readonly response: Schema }
  readonly list: { readonly querystring: Schema; readonly response: Schema }
  readonly publish: { readonly body: Schema; readonly response: Schema }
}

export interface BareApiListening {
  readonly kind: 'listening'
  readonly port: number
}

export const BARE_API = new URL('./bareApiProgram.ts', import.meta.url)
