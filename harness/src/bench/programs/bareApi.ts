/** A JSON Schema as a document holds it, references resolved. */
export type Schema = Readonly<Record<string, unknown>>

/**
 * The yardstick of the API: a Fastify route with the same schemas as the service's, and one statement on an indexed
 * SQLite table that is synced to disk like the service's. No key, no audit log, no other thread.
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
