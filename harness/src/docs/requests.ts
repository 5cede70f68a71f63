import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ApiDocument } from '../api/apiDocument.ts'
import type { Operation } from '../api/operation.ts'
import { ROOT } from './pages.ts'

/** A request that a page names. A path may begin with `…`, and its variable parts may be anything in braces or with a `$`. */
export interface SentRequest {
  readonly method: string
  readonly path: string
}

/** Served, but in no document of the API. */
const OTHER_ROUTES =
  /^\/(healthz|readyz|metrics|docs|help|asyncapi\.json|openapi\/[^/]+\.json|schemas\/.+|receive\/.+|downloads\/.+|)$/

const DOCUMENTS = path.join(ROOT, 'docs/api')

let documents: readonly ApiDocument[] | null = null

export function apiDocuments(): readonly ApiDocument[] {
  documents ??= readdirSync(DOCUMENTS)
    .filter((name) => name.endsWith('.openapi.json'))
    .map((name) => new ApiDocument(name, JSON.parse(readFileSync(path.join(DOCUMENTS, name), 'utf8'))))
  return documents
}

/** What is wrong with a request; `null`: an operation is described for it. */
export function requestMistake({ method, path: whole }: SentRequest): string | null {
  const [route, query] = whole.split('?') as [string, string?]
  if (OTHER_ROUTES.test(route)) return null
  const operations = apiDocuments()
    .flatMap((document) => document.operations)
    .filter((operation) => operation.method === method.toLowerCase() && fits(route, operation.path))
  if (operations.length === 0) return 'no such operation'
  const names = [...new URLSearchParams(query).keys()]
  const takes = (operation: Operation, name: string) =>
    operation.parameters.some((parameter) => parameter.in === 'query' && parameter.name === name)
  const unknown = names.filter((name) => !operations.some((operation) => takes(operation, name)))
  return unknown.length === 0 ? null : `no query parameter ${unknown.join(', ')}`
}

function fits(route: string, template: string): boolean {
  const isShortened = route.startsWith('…')
  const parts = route.replace(/^…/, '').split('/').slice(1)
  const all = template.split('/').slice(1)
  const expected = isShortened ? all.slice(-parts.length) : all
  return (
    parts.length === expected.length &&
    parts.every((part, i) => part === expected[i] || expected[i]!.startsWith('{') || part.includes('$'))
  )
}
