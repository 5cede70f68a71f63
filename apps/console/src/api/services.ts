import { queryOptions } from '@tanstack/react-query'
import type { components } from '../../../../packages/client/src/generated/admin.ts'
import type { JsonSchema } from '../model/profile/schemaHelp.ts'
import { adminApi } from './clients.ts'
import { ProblemError } from './problem.ts'
import { send, unwrap } from './send.ts'

export type Service = components['schemas']['Service']
export type ServiceCheck = components['schemas']['ServiceCheck']
export type ExampleRequest = components['schemas']['ExampleRequest']

/** A service with its profile, and the ETag for changing this version. */
export interface ServiceVersion {
  readonly service: components['schemas']['ServiceWithProfile']
  readonly etag: string
}

type Profile = components['schemas']['ServiceWithProfile']['profile']

const STALE_MS = 60_000

/** All services, for operators, by name. */
export const servicesQuery = queryOptions({
  queryKey: ['operator', 'services'],
  queryFn: async ({ signal }): Promise<readonly Service[]> =>
    (await unwrap(adminApi.GET('/admin/v1/services', { signal }))).data,
})

/** The titles of services, for lists of their workspaces. */
export const serviceTitlesQuery = queryOptions({ ...servicesQuery, staleTime: STALE_MS })

export const serviceVersionQuery = (name: string) =>
  queryOptions({
    queryKey: ['operator', 'service', name],
    queryFn: ({ signal }) => readService(name, signal),
  })

export async function readService(name: string, signal?: AbortSignal): Promise<ServiceVersion> {
  const options = signal === undefined ? {} : { signal }
  const answer = await adminApi.GET('/admin/v1/services/{id}', { params: { path: { id: name } }, ...options })
  const service = await unwrap(Promise.resolve(answer))
  return { service, etag: answer.response.headers.get('etag') ?? '' }
}

/** Sends the body as typed. Parsing it here would hide duplicate members. */
const asTyped = (text: string) => ({
  body: {} as Profile,
  headers: { 'content-type': 'application/json' },
  bodySerializer: () => text,
})

/** Checks a profile like adding or updating its service would. @param text JSON */
export const profileCheckQuery = (text: string) =>
  queryOptions({
    queryKey: ['operator', 'profile-check', text],
    staleTime: Number.POSITIVE_INFINITY,
    // Each key is a complete profile.
    gcTime: 0,
    refetchOnWindowFocus: false,
    queryFn: ({ signal }): Promise<ServiceCheck> =>
      unwrap(adminApi.POST('/admin/v1/services/check', { ...asTyped(text), signal })),
  })

/** @param text a profile @param idempotencyKey makes retries safe */
export const addService = (text: string, idempotencyKey: string): Promise<Service> => {
  const { headers, ...body } = asTyped(text)
  return unwrap(
    adminApi.POST('/admin/v1/services', {
      ...body,
      headers,
      params: { header: { 'idempotency-key': idempotencyKey } },
    }),
  )
}

/** @param etag of the version that was edited */
export const updateService = (name: string, text: string, etag: string): Promise<Service> => {
  const params = { path: { id: name }, header: { 'if-match': etag } }
  return unwrap(adminApi.PUT('/admin/v1/services/{id}', { ...asTyped(text), params }))
}

export const removeService = (name: string) =>
  unwrap(adminApi.DELETE('/admin/v1/services/{id}', { params: { path: { id: name } } }))

/** The JSON Schema of profiles. It changes only with a release. */
export const profileSchemaQuery = queryOptions({
  queryKey: ['profile-schema'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }): Promise<JsonSchema> => {
    const url = new URL('/schemas/profile.json', window.location.origin)
    const response = await send(new Request(url, { signal }))
    if (!response.ok) throw new ProblemError(response, null)
    return (await response.json()) as JsonSchema
  },
})
