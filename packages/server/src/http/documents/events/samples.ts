import type { SampleRequest } from '../../shared/sampleRequests.ts'
import type { EventService } from './service.ts'

/** The headers of a request as values of their schemas. */
export const headerValues = (
  { headers }: EventService,
  sample: SampleRequest,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    headers.map(({ name, schema }) => {
      const text = sample.headers[name]
      return [name, schema.type === 'integer' ? Number(text) : text]
    }),
  )
