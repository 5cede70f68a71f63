import type { Operation, Paths } from './objects.ts'

const text = (...examples: string[]) => ({ type: 'string', examples })
const seconds = (example: number) => ({ type: 'integer', minimum: 0, examples: [example] })

/** Headers that responses share, as components. What is described is there, unless `required` is false. */
export const HEADER_COMPONENTS = {
  RequestId: {
    description: 'The id of the request; give it to the operator when you ask for help.',
    required: true,
    schema: text('req_5f2c19d0a47b_1k'),
  },
  Location: {
    description: 'The path of the new resource.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
  },
  ETag: {
    description: 'Identifies this version of the webhook, for `If-Match`.',
    required: true,
    schema: text('"v3"'),
  },
  RetryAfter: {
    description: 'Seconds to wait before a retry.',
    required: true,
    schema: seconds(5),
  },
  Challenge: {
    description: 'The required credentials (RFC 6750).',
    required: true,
    schema: text('Bearer realm="posthorn"'),
  },
  RateLimit: {
    description: 'The remaining requests, `r`, and the seconds until there is one more, `t`.',
    required: true,
    schema: text('"manual-sends";r=7;t=42'),
  },
  RateLimitPolicy: {
    description: 'The limit, `q`, and its window in seconds, `w`.',
    required: true,
    schema: text('"manual-sends";q=10;w=60'),
  },
  RateLimitLimit: {
    description: 'The limit, for clients that do not read `RateLimit-Policy`.',
    required: true,
    schema: seconds(10),
  },
  RateLimitRemaining: {
    description: 'The remaining requests, for clients that do not read `RateLimit`.',
    required: true,
    schema: seconds(7),
  },
  RateLimitReset: {
    description: 'Seconds until there is one more request, for clients that do not read `RateLimit`.',
    required: true,
    schema: seconds(42),
  },
} as const

type Headers = Readonly<Record<string, unknown>>

const always = (name: keyof typeof HEADER_COMPONENTS) => ({ $ref: `#/components/headers/${name}` })
const sometimes = (name: keyof typeof HEADER_COMPONENTS, description: string) => ({
  ...HEADER_COMPONENTS[name],
  description,
  required: false,
})

const RATE_LIMIT_HEADERS = [
  ['RateLimit', 'RateLimit'],
  ['RateLimit-Policy', 'RateLimitPolicy'],
  ['RateLimit-Limit', 'RateLimitLimit'],
  ['RateLimit-Remaining', 'RateLimitRemaining'],
  ['RateLimit-Reset', 'RateLimitReset'],
] as const

const RATE_LIMIT = Object.fromEntries(RATE_LIMIT_HEADERS.map(([header, name]) => [header, always(name)]))

/** Of a refusal that may have another reason than this limit. */
const RATE_LIMIT_IF_REACHED = Object.fromEntries(
  RATE_LIMIT_HEADERS.map(([header, name]) => [
    header,
    sometimes(name, `With \`rate_limited\`: ${HEADER_COMPONENTS[name].description}`),
  ]),
)

/** An operation with its surroundings. */
export interface Placed {
  readonly paths: Paths
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

/** The headers of a response that follow from what the operation is, and those that its route declares. */
export function headersOf(placed: Placed, status: string): Headers {
  const declared = placed.operation.responses[status]?.headers
  return {
    'X-Request-Id': always('RequestId'),
    ...(status.startsWith('2') ? ofSuccess(placed, status) : ofProblem(placed, status)),
    ...declared,
  }
}

function ofSuccess(placed: Placed, status: string): Headers {
  const { paths, path, operation } = placed
  // What is made but cannot be read has no path.
  const canBeRead = itemPaths(paths, path).some((item) => paths[item]?.get !== undefined)
  return {
    ...(status === '201' && canBeRead ? { Location: always('Location') } : {}),
    ...(status !== '204' && showsVersion(placed) ? { ETag: always('ETag') } : {}),
    // What is only counted or tried takes nothing of the limit.
    ...(status === '202' && isRateLimited(operation) ? RATE_LIMIT : {}),
  }
}

/** Other things than tests and redeliveries have limits too, which no headers tell of. */
export const isRateLimited = ({ responses }: Operation) =>
  responses['429']?.description.includes('`rate_limited`') === true

function ofProblem({ operation }: Placed, status: string): Headers {
  switch (status) {
    case '401':
      return { 'WWW-Authenticate': always('Challenge') }
    case '403':
      return {
        'WWW-Authenticate': sometimes('Challenge', 'Lists the required scopes, if the API key lacks one.'),
      }
    case '409':
      return takes(operation, 'idempotency-key')
        ? {
            'Retry-After': sometimes(
              'RetryAfter',
              'Seconds to wait if the first request with this `Idempotency-Key` is still in progress.',
            ),
          }
        : {}
    case '412':
      return { ETag: always('ETag') }
    case '429':
      return {
        'Retry-After': always('RetryAfter'),
        ...(isRateLimited(operation) ? RATE_LIMIT_IF_REACHED : {}),
      }
    case '503':
      return { 'Retry-After': always('RetryAfter') }
    default:
      return {}
  }
}

export const takes = ({ parameters = [] }: Operation, header: string) =>
  parameters.some(({ name, in: place }) => place === 'header' && name === header)

/** Whether what is answered can be changed under `If-Match`: here, at the same path, or at that of a new item. */
function showsVersion({ paths, path, method, operation }: Placed): boolean {
  const isVersioned = (at: string) => Object.values(paths[at] ?? {}).some((one) => takes(one, 'if-match'))
  if (takes(operation, 'if-match') || (method === 'get' && isVersioned(path))) return true
  return method === 'post' && itemPaths(paths, path).some(isVersioned)
}

/** Paths of one item of the collection at a path. */
const itemPaths = (paths: Paths, collection: string) =>
  Object.keys(paths).filter(
    (path) => /^\/\{\w+\}$/.test(path.slice(collection.length)) && path.startsWith(collection),
  )
