import { queryOptions } from '@tanstack/react-query'
import { ProblemError } from './problem.ts'
import { send } from './send.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

/** Public URL of the JSON Schema of an event type's request bodies. */
export const eventSchemaUrl = (service: string, type: string): string =>
  `/schemas/${service}/${encodeURIComponent(type)}.json`

export const eventSchemaQuery = (service: string, type: string) =>
  queryOptions({
    queryKey: ['event-schema', service, type],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<JsonSchema> => {
      const url = new URL(eventSchemaUrl(service, type), window.location.origin)
      const response = await send(new Request(url, { signal }))
      const body: unknown = await response.json()
      if (!response.ok) throw new ProblemError(response, body)
      return body as JsonSchema
    },
  })
