import { isIP } from 'node:net'

/** @returns without a slash at the end */
export function httpUrl(value: string): string {
  if (!/^https?:\/\/[^\s]+$/.test(value) || !URL.canParse(value))
    throw new Error(
      `${value.includes('@') ? 'it' : `"${value}"`} is not a URL such as https://hooks.example.com`,
    )
  // The URL appears in the log, in e-mails and in API responses.
  const { username, password } = new URL(value)
  if (username !== '' || password !== '') {
    throw new Error('use the address without a user name and password, such as https://hooks.example.com')
  }
  return value.replace(/\/+$/, '')
}

export function portalOrigins(value: string): readonly string[] {
  return value.split(',').map((item) => {
    const origin = item.trim()
    const url = URL.canParse(origin) ? new URL(origin) : null
    const isTrusted = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal(url.hostname))
    // Browsers treat a star here as a wildcard.
    if (!isTrusted || url.origin !== origin || origin.includes('*'))
      throw new Error(`"${origin}" is not an origin such as https://app.example.com or http://localhost:3000`)
    return origin
  })
}

/** Connections to these do not leave the machine, so they need no encryption. */
export const isLocal = (hostname: string) =>
  /^127(\.\d+){3}$/.test(hostname) ||
  ['localhost', '[::1]'].includes(hostname) ||
  hostname.endsWith('.localhost')

/** Whether requests to the service travel unencrypted, so that cookies and passwords can be read on the way. */
export function isUnencrypted(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl)
  return protocol === 'http:' && !isLocal(hostname)
}

/** @returns addresses and CIDRs */
export function trustedProxies(value: string): readonly string[] {
  return value.split(',').map((item) => {
    const range = item.trim()
    const [address = '', bits, ...rest] = range.split('/')
    const mostBits = { 0: 0, 4: 32, 6: 128 }[isIP(address)]!
    // With /0, every client could claim any address.
    const fits = bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= mostBits)
    if (mostBits === 0 || !fits || rest.length > 0)
      throw new Error(`"${range}" is not an address or a CIDR such as 10.0.0.7 or 10.0.0.0/24`)
    return range
  })
}
