import type { Attempt } from './delivery.ts'
import { errorWords } from './errorWords.ts'

/** The outcome of an attempt, and advice if it failed. */
export interface AttemptHelp {
  /** Short outcome for lists. */
  readonly short: string
  /** Steps to fix a failure; empty on success. */
  readonly steps: readonly string[]
}

const STATUS_TEXT: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  418: "I'm a teapot",
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

/** "503 Service Unavailable". */
export const statusText = (code: number): string =>
  STATUS_TEXT[code] === undefined ? String(code) : `${code} ${STATUS_TEXT[code]}`

const STEPS: Readonly<Record<string, readonly string[]>> = {
  dns_failed: [
    'Check the host name of the URL for typos.',
    'Query a public DNS server: dig +short followed by the host name must print an address.',
    'If the DNS record is new, wait for its TTL.',
  ],
  refused_target: [
    'Requests are sent only to public addresses. The host name must not resolve to a private, loopback or link-local address.',
    'To receive requests on your own machine, use the URL of a public HTTPS tunnel.',
  ],
  connect_failed: [
    'Check that the server is running and listens on the port of the URL.',
    'Check that firewalls and security groups allow connections from the internet.',
    'Test from outside your network: curl -v followed by the URL.',
  ],
  connect_timeout: [
    'The usual cause is a firewall that drops packets. Allow the port of the URL.',
    'Check that the machine is running and not overloaded, and that its DNS record is correct.',
    'If some requests arrive, respond faster: connections are reused once they are free.',
  ],
  tls_failed: [
    'Inspect the certificate: openssl s_client -connect host:443 -servername host',
    'The certificate must not be expired, must match the host of the URL, and must be issued by a public authority.',
    'Serve the full certificate chain. Browsers fetch missing intermediate certificates, but servers do not.',
  ],
  timeout: [
    'Look for slow operations: a database query, a call to another service, a cold start.',
    'Your server may have processed the request anyway. Use its id to skip duplicates.',
  ],
  protocol_error: [
    'Check that the port speaks HTTP/1.1, and that no proxy changes the response.',
    'Inspect the raw response: curl --http1.1 -v followed by the URL.',
  ],
}

const resetSteps = (when: string) => [
  `Check the error log at ${when}: a process that crashes or restarts closes its connections.`,
  'Check the limits of proxies and load balancers: idle timeout, header size and body size.',
]

const REDIRECT_STEPS = [
  'Redirects are not followed, because a signed request must not reach another address.',
  'Use the final URL. Usual causes: a missing or extra trailing slash, a host name without www, a login page.',
]

const BY_STATUS: Readonly<Record<number, readonly string[]>> = {
  401: [
    'Allow requests to this path without a login, an API key or a browser check. The signature authenticates the sender.',
    'If your own code returns this, check the signing secret, and verify the signature over the raw body.',
  ],
  403: [
    'Look for a web application firewall, an IP allowlist or a CSRF check in front of your code, and exempt this path.',
    'If your own code returns this, check the signing secret, and verify the signature over the raw body.',
  ],
  404: [
    'Compare the path of the URL with the route of your server.',
    'Check that the version with this route is deployed, and that it accepts POST.',
  ],
  405: ['The path exists but does not accept POST. Add a route for POST, or correct the path of the URL.'],
  408: ['The server timed out while it waited for the request. Look for a proxy with a very short timeout.'],
  410: [
    'Find out whether the receiver was removed on purpose.',
    'If that is a mistake, make the server respond with 2xx.',
  ],
  413: [
    'Raise the limit on request bodies, in your server and in the proxy in front of it.',
    'In nginx, set client_max_body_size.',
  ],
  415: ['Accept the content type application/json.'],
  429: [
    'The receiver limits requests. If it sends Retry-After, the next retry waits that long.',
    'Exempt these requests from the rate limit, or raise it: events can come in bursts.',
  ],
}

/** Receivers usually reject an invalid signature with one of these. */
const REFUSES_SIGNATURE = [400, 401, 403]

/** Whether the receiver may have rejected the signature. */
export const mayBeSecret = ({ statusCode }: Pick<Attempt, 'statusCode'>): boolean =>
  statusCode !== null && REFUSES_SIGNATURE.includes(statusCode)

interface Answered {
  /** Whether the response has a body; `null`: unknown. */
  readonly said: boolean | null
  /** Time of the attempt, as text. */
  readonly when: string
}

const clientErrorSteps = ({ said, when }: Answered) => [
  said === null
    ? `The receiver rejected the request. Its log at ${when} shows why.`
    : said
      ? `The receiver rejected the request. See its response below, and its log at ${when}.`
      : `The receiver rejected the request with an empty response. Check its log at ${when}.`,
  'If it rejected the signature, check that it has the newest signing secret, verifies over the raw body, and has a correct clock.',
]

const serverErrorSteps = ({ said, when }: Answered) => [
  said === null
    ? `Look for the error in the log of the receiver at ${when}.`
    : said
      ? 'The response below may contain the error, or an id to look for in the log.'
      : `The response was empty. Look for the error in the log of the receiver at ${when}.`,
  'Store requests first and process them later, so that an error in processing does not lose them.',
]

const GATEWAY_STEPS = [
  'A proxy or load balancer responded, but not the server behind it. Check that it runs and is not overloaded.',
  'If this happens during a deployment, keep the old version running until the new one is ready.',
]

/** An attempt; lists omit its response. */
type Known = Pick<Attempt, 'error' | 'statusCode'> & Partial<Pick<Attempt, 'response'>>

/** Whether the response has a body. */
export const hasBody = (response: Attempt['response'] | undefined): boolean => (response?.body ?? '') !== ''

/** @param when the time of the attempt, as text */
export function attemptHelp(
  { error, statusCode, response }: Known,
  when = 'the time of the attempt',
): AttemptHelp {
  if (error === null) return { short: statusCode === null ? 'Delivered' : statusText(statusCode), steps: [] }
  if (statusCode === null) {
    const steps = error.code === 'reset' ? resetSteps(when) : (STEPS[error.code] ?? [])
    return { short: errorWords(error.code), steps }
  }
  const short = statusText(statusCode)
  if (error.code === 'redirect') return { short, steps: REDIRECT_STEPS }
  const said = response === undefined ? null : hasBody(response)
  return { short, steps: BY_STATUS[statusCode] ?? stepsOfClass(statusCode, { said, when }) }
}

function stepsOfClass(statusCode: number, answered: Answered): readonly string[] {
  if (statusCode >= 502 && statusCode <= 504) return GATEWAY_STEPS
  return statusCode >= 500 ? serverErrorSteps(answered) : clientErrorSteps(answered)
}
