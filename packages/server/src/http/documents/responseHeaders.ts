/** Headers that follow from the status alone, as components of each document. */
export const HEADER_COMPONENTS = {
  RequestId: {
    description: 'Names the request; quote it to the operator.',
    required: true,
    schema: { type: 'string', examples: ['req_5f2c19d0a47b_1k'] },
  },
  Location: {
    description: 'The path of what was created.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
  },
  RetryAfter: {
    description: 'Seconds until trying again makes sense.',
    required: true,
    schema: { type: 'integer', minimum: 0, examples: [5] },
  },
  Challenge: {
    description: 'Which credentials are wanted (RFC 6750).',
    required: true,
    schema: { type: 'string', examples: ['Bearer realm="posthorn"'] },
  },
} as const

const ref = (name: keyof typeof HEADER_COMPONENTS) => ({ $ref: `#/components/headers/${name}` })

/** By status; every response has the request's id. */
const BY_STATUS: Readonly<Record<string, object>> = {
  201: { Location: ref('Location') },
  401: { 'WWW-Authenticate': ref('Challenge') },
  429: { 'Retry-After': ref('RetryAfter') },
  503: { 'Retry-After': ref('RetryAfter') },
}

/** The headers of a response: those of every such response, and those that its route declares. */
export function headersOf(status: string, declared: object | undefined): Readonly<Record<string, unknown>> {
  return { 'X-Request-Id': ref('RequestId'), ...BY_STATUS[status], ...declared }
}
