/** The part of `fetch` that the client uses. Pass your own for a proxy or a CA of your own. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Options of all clients. */
export interface ConnectionOptions {
  /** Where the service is, such as `https://posthorn.example.com`. */
  readonly baseUrl: string
  /** Default: the platform's `fetch`. */
  readonly fetch?: Fetch | undefined
  /** For one attempt, up to the last byte of the answer. Default: 30,000. */
  readonly timeoutMs?: number | undefined
  /** How many times a request that may be repeated is retried. Default: 3. */
  readonly retries?: number | undefined
  /** Waits between attempts; rejects when the signal aborts. For tests. */
  readonly sleep?: Sleep | undefined
  /** A number from 0 up to 1 that spreads the waits. For tests. */
  readonly random?: (() => number) | undefined
}

export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/** {@link ConnectionOptions}, checked and with defaults. */
export interface Settings {
  readonly baseUrl: string
  readonly fetch: Fetch
  readonly timeoutMs: number
  readonly retries: number
  readonly sleep: Sleep
  readonly random: () => number
}

/** The longest that a timer can wait. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1
const MAX_RETRIES = 20

/** @throws TypeError that names the option */
export function readSettings(options: ConnectionOptions): Settings {
  const {
    baseUrl,
    // Read at each call, since tools for tests and tracing replace it.
    fetch = (url, init) => globalThis.fetch(url, init),
    timeoutMs = 30_000,
    retries = 3,
    sleep = sleepUnlessAborted,
    random = Math.random,
  } = options
  checkWholeNumber('timeoutMs', timeoutMs, 1, MAX_TIMEOUT_MS)
  checkWholeNumber('retries', retries, 0, MAX_RETRIES)
  return { baseUrl: readBaseUrl(baseUrl), fetch, timeoutMs, retries, sleep, random }
}

function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isPlain =
    url !== null && [url.username, url.password, url.search, url.hash].every((part) => part === '')
  if (url === null || !isPlain || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      'baseUrl must be an http or https URL without user, query or fragment, such as https://posthorn.example.com',
    )
  }
  return url.href.replace(/\/+$/, '')
}

function checkWholeNumber(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return
  throw new TypeError(`${name} must be a whole number from ${min} to ${max}`)
}

/** @throws TypeError that does not contain the secret, as the error of `Headers` would. */
export function checkCredential(name: string, value: string): void {
  if (typeof value === 'string' && /^[!-~]+$/.test(value)) return
  throw new TypeError(
    `${name} must be the whole key or token, as it was shown, without spaces or line breaks`,
  )
}

function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
