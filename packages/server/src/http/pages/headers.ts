import { randomBytes } from 'node:crypto'

const NONCE_BYTES = 16
const YEAR_S = 365 * 24 * 3600

/** Names the styles that one answer allows. */
export const newNonce = (): string => randomBytes(NONCE_BYTES).toString('base64')

/**
 * The headers of a page. Scripts come only from this server, and no API response can become one. So do styles, except those
 * that the page's own scripts insert under the nonce.
 * @param frameAncestors origins that may show the page in a frame; empty: none
 * @param publicUrl where people reach the page
 */
export function pageHeaders(
  nonce: string,
  frameAncestors: readonly string[],
  publicUrl: string,
): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
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
