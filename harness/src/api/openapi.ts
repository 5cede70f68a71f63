import type { JsonSchema } from './jsonSchema.ts'

/** The parts of OpenAPI 3.1 that these tools read. Anything may be behind a `$ref`. */
export interface OpenApi {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<Record<string, PathItem>>
  readonly webhooks?: Readonly<Record<string, PathItem>>
  readonly security?: readonly SecurityRequirement[]
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const
export type MethodName = (typeof METHODS)[number]

type PathItem = { readonly parameters?: readonly ParameterObject[] } & {
  readonly [M in MethodName]?: OperationObject
}

interface OperationObject {
  readonly operationId?: string
  readonly parameters?: readonly ParameterObject[]
  readonly requestBody?: RequestBodyObject
  readonly responses?: Readonly<Record<string, ResponseObject>>
  readonly security?: readonly SecurityRequirement[]
}

interface ParameterObject {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required?: boolean
  readonly schema?: JsonSchema
}

interface RequestBodyObject {
  readonly required?: boolean
  readonly content: Readonly<Record<string, MediaTypeObject>>
}

export interface MediaTypeObject {
  readonly schema?: JsonSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>
}

interface ResponseObject {
  readonly headers?: Readonly<Record<string, HeaderObject>>
  readonly content?: Readonly<Record<string, MediaTypeObject>>
}

interface HeaderObject {
  readonly required?: boolean
  readonly schema?: JsonSchema
}

/**
 * Scopes by name of the security scheme. All schemes of one requirement are needed; one requirement is
 * enough.
 */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>
