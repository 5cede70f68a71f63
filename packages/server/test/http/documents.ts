import { documentedApp } from '../../../../tools/documents/generate.ts'

interface Schema {
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly examples?: readonly unknown[]
}

interface Media {
  readonly schema: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly example?: unknown
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly headers?: Readonly<Record<string, unknown>> }>
  >
}

interface OpenApi {
  readonly info: { readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks?: Readonly<Record<string, { readonly post: Operation }>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** An operation with its position. */
export interface Placed extends Operation {
  readonly document: string
  readonly path: string
  readonly method: string
}

export const DOCUMENTS = ['content', 'ads', 'admin', 'console'] as const

/** Everything that the app of the documents serves. */
export async function loadDocuments() {
  const app = documentedApp()
  const routes: { readonly method: string; readonly url: string; readonly hidden: boolean }[] = []
  app.addHook('onRoute', ({ method, url, schema }) => {
    for (const name of [method].flat()) routes.push({ method: name, url, hidden: schema?.hide === true })
  })
  const get = async (url: string) => app.inject({ url })
  const openApi = async (name: string) => (await get(`/openapi/${name}.json`)).json() as OpenApi
  const documents = {
    content: await openApi('content'),
    ads: await openApi('ads'),
    admin: await openApi('admin'),
    console: await openApi('console'),
  }
  const operations: readonly Placed[] = DOCUMENTS.flatMap((document) =>
    Object.entries(documents[document].paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ document, path, method, ...operation })),
    ),
  )
  return { app, routes, get, documents, operations }
}

/** A path whose parameters name nothing that exists, except the workspace. */
export const pathTo = (path: string, workspace: string) =>
  path.replace('{ws}', workspace).replace(/\{\w+\}/g, '01a0385c-c91e-7b42-9d0a-3e6f8c2b7a11')
