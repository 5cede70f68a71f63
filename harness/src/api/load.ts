import { ApiDocument } from './apiDocument.ts'
import type { OpenApi } from './openapi.ts'

/** The documents that the service serves, one for each of its APIs. */
const NAMES = ['content', 'ads', 'admin', 'console'] as const

/** @throws Error when one is not there or cannot be read */
export async function loadDocuments(origin: string): Promise<readonly ApiDocument[]> {
  return Promise.all(
    NAMES.map(async (name) => {
      const url = `${origin}/openapi/${name}.json`
      const response = await fetch(url)
      if (!response.ok) throw new Error(`${url} answered ${response.status}`)
      // The document's own shape is what the reader checks as it goes.
      return new ApiDocument(name, (await response.json()) as OpenApi)
    }),
  )
}
