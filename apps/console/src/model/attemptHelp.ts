import type { Attempt } from './delivery.ts'
import { errorWords } from './errorWords.ts'

/** What became of an attempt in a few words, and what to do where it failed. */
export interface AttemptHelp {
  /** A few words for a list. */
  readonly short: string
  /** What to do, step by step; none when it succeeded. */
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
    'Look for a typing mistake in the host name of the URL.',
    'Ask a public name server: dig +short followed by the host name must print an address.',
    'If the record is new, give it the time that its TTL says.',
  ],
  refused_target: [
    'Requests go to public addresses alone. The host name must not lead to a private network, to the machine itself, or to a link-local address.',
    'To develop on your own machine, put a public HTTPS tunnel before it, and use its URL.',
  ],
  connect_failed: [
    'Check that the server runs and listens on the port of the URL.',
    'Check that firewalls and security groups let connections in from the internet.',
    'Try it from outside your network: curl -v followed by the URL.',
  ],
  connect_timeout: [
    'A firewall that drops packets without an answer is the usual cause: let the port of the URL in.',
    'Check that the machine is up, not overloaded, and that its DNS record still names it.',
    'If requests arrive now and then, answer sooner: connections are used again once they are free.',
  ],
  tls_failed: [
    'See what the server shows: openssl s_client -connect host:443 -servername host',
    'The certificate must be valid today, name the host of the URL, and come from a public authority.',
    'Serve the full chain: browsers fetch missing intermediate certificates by themselves, servers do not.',
  ],
  timeout: [
    'Look for what blocks: a slow database, a call to another service, a server that has just started.',
    'The request may have been worked on all the same: use its id to skip it when it comes again.',
  ],
  protocol_error: [
    'Check that the port speaks HTTP/1.1, and that nothing in front of it changes the answer.',
    'See the answer byte by byte: curl --http1.1 -v followed by the URL.',
  ],
}

const resetSteps = (when: string) => [
  `Look in the error log at ${when}: a process that crashes or is restarted closes its connections.`,
  'Check the limits of proxies and load balancers in front: idle time, size of headers and body.',
]

const REDIRECT_STEPS = [
  'Redirects are never followed, since a request that is signed for one place must not end at another.',
  'Set the URL that answers itself. Usual causes: a missing or extra slash at the end, a host name without www, a login page.',
]

const BY_STATUS: Readonly<Record<number, readonly string[]>> = {
  401: [
    'Let requests to this path in without a login, an API key or a browser check: their signature says who sent them.',
    'If it is your own code that answers so, check the signing secret, and that the signature is verified over the raw body.',
  ],
  403: [
    'Look for a web application firewall, an IP allowlist or a CSRF check before your code, and let this path through.',
    'If it is your own code that answers so, check the signing secret, and that the signature is verified over the raw body.',
  ],
  404: [
    'Compare the path of the URL with the route of your server, letter by letter.',
    'Check that the version that has this route is deployed, and that it takes POST.',
  ],
  405: ['The path is there but does not take POST. Add a route for POST, or correct the path of the URL.'],
  408: ['The server gave up waiting for the request. Look for a proxy in front with a very short limit.'],
  410: [
    'The receiver says that it is gone for good and wants nothing more.',
    'If that is a mistake, make the server answer 2xx.',
  ],
  413: [
    'Raise the limit on the size of request bodies, in your server and in the proxy before it.',
    'In nginx it is client_max_body_size.',
  ],
  415: ['Accept the content type application/json.'],
  429: [
    'The receiver asks for fewer requests. When it says Retry-After, the next attempt waits that long.',
    'Exempt these requests from the rate limit, or raise it: they come in bursts when much happens at once.',
  ],
}

/** Receivers answer so to signatures that do not match, more often than not because of the secret. */
const REFUSES_SIGNATURE = [400, 401, 403]

/** Whether the receiver may have refused the signature. */
export const mayBeSecret = ({ statusCode }: Pick<Attempt, 'statusCode'>): boolean =>
  statusCode !== null && REFUSES_SIGNATURE.includes(statusCode)

/** Whether the answer has a body, and what the time of the attempt is called. */
interface Answered {
  /** `null`: it is not known here. */
  readonly said: boolean | null
  readonly when: string
}

const clientErrorSteps = ({ said, when }: Answered) => [
  said === null
    ? `The receiver refused the request. Its log at ${when} says why.`
    : said
      ? `The receiver refused the request. What it answered stands below; its log at ${when} says more.`
      : `The receiver refused the request, and its answer was empty. Look into its log at ${when}.`,
  'If it refused the signature: check that it has the signing secret that was made last, verify over the raw body, and check the clock of the server.',
]

const serverErrorSteps = ({ said, when }: Answered) => [
  said === null
    ? `Look for the error in the log of the receiver at ${when}.`
    : said
      ? 'What it answered stands below: often it names the error, or an id to look for in the log.'
      : `Its answer was empty: look for the error in its log at ${when}.`,
  'Store the request first and do the work later, so that a mistake there does not lose it.',
]

const GATEWAY_STEPS = [
  'The proxy or load balancer answered, and the server behind it did not. Check that it runs and is not overloaded.',
  'If this happens while you deploy, keep the old version running until the new one answers.',
]

/** What is known of an attempt; lists do not have what the receiver answered. */
type Known = Pick<Attempt, 'error' | 'statusCode'> & Partial<Pick<Attempt, 'response'>>

/** Whether the receiver said more than its status. */
export const hasBody = (response: Attempt['response'] | undefined): boolean => (response?.body ?? '') !== ''

/** @param when the time of the attempt, where it is known, as people read it */
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
