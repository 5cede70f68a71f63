import { YEAR_S } from './builtSites/caching.ts'

interface Page {
  /** Where people reach the page. */
  readonly publicUrl: string
  /** Inline scripts of the page, by their hashes. */
  readonly scripts?: readonly string[]
  /** Inline styles of the page, by hash or nonce. */
  readonly styles?: readonly string[]
  /** Whether elements have `style` attributes. */
  readonly hasStyleAttributes?: boolean
  /** Origins that may show the page in a frame. */
  readonly frameAncestors?: readonly string[]
}

/** The headers of a page. Scripts and styles come only from this server, so that no API response can become one. */
export function pageHeaders(page: Page): Record<string, string> {
  const { publicUrl, scripts = [], styles = [], hasStyleAttributes = false, frameAncestors = [] } = page
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    ["style-src 'self'", ...styles].join(' '),
    ...(hasStyleAttributes ? ["style-src-attr 'unsafe-inline'"] : []),
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
  ]
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    // Only for this host: its subdomains may belong to others.
    ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': `max-age=${YEAR_S}` } : {}),
    // For browsers that do not know frame-ancestors; it can name no origins.
    ...(frameAncestors.length === 0 ? { 'x-frame-options': 'DENY' } : {}),
  }
}
