import type { MethodName, SecurityRequirement } from './openapi.ts'

/** A schema by its place in the document that the operation belongs to. */
export interface SchemaPlace {
  readonly pointer: string
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  readonly schema: SchemaPlace | null
}

/** The possible content of a request or response, by media type without parameters. */
export type Content = ReadonlyMap<string, SchemaPlace | null>

export interface DescribedHeader {
  readonly name: string
  readonly required: boolean
  readonly schema: SchemaPlace | null
}

export interface DescribedResponse {
  readonly headers: readonly DescribedHeader[]
  /** Empty: the response has no body. */
  readonly content: Content
}

/** One operation of a document, with every reference resolved. */
export interface Operation {
  /** The operation id, or method and path when it has none. */
  readonly id: string
  readonly method: MethodName
  /** With names in braces. */
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body: { readonly required: boolean; readonly content: Content } | null
  /** By status, `4XX` or `default`, as the document writes it. */
  readonly responses: ReadonlyMap<string, DescribedResponse>
  readonly security: readonly SecurityRequirement[]
}

/** The description that applies to a status: exact before class before `default`. */
export function responseFor(operation: Operation, status: number): DescribedResponse | null {
  const { responses } = operation
  return (
    responses.get(String(status)) ??
    responses.get(`${Math.floor(status / 100)}XX`) ??
    responses.get('default') ??
    null
  )
}

/** `application/json; charset=utf-8` → `application/json` */
export const mediaTypeOf = (contentType: string) => contentType.split(';', 1)[0]!.trim().toLowerCase()
