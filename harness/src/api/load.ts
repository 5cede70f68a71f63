import { ApiDocument } from './apiDocument.ts'
import type { OpenApi } from './openapi.ts'

/** The documents that the service serves, one for each of its APIs. */
const NAMES = ['content', 'ads', 'admin', 'console'] as const

/** @throws Error when one is missing or unreadable */
export async function loadDocuments(origin: string): Promise<readonly ApiDocument[]> {
  return Promise.all(
    NAMES.map(async (name) => {
      const url = `${origin}/openapi/${name}.json`
      const response = await fetch(url)
      if (!response.ok) throw new Error(`${url} answered ${response.status}`)
      // The reader checks the document's own structure as it goes.
      return new ApiDocument(name, (await response.json()) as OpenApi)
    }),
  )
}
