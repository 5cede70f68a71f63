/** A mail server, and its credentials. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the start; otherwise STARTTLS if the server offers it. */
  readonly secure: boolean
  readonly auth: { readonly user: string; readonly pass: string } | null
}

const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/i
const PORTS = { 'smtp:': 587, 'smtps:': 465 }

/** @returns `null` when the text is not a `smtp://` or `smtps://` URL of a server */
export function parseSmtpUrl(text: string): SmtpServer | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')) return null
  const { protocol, hostname, port, pathname, search, hash } = url
  if (!HOST.test(hostname) || !['', '/'].includes(pathname) || search !== '' || hash !== '') return null
  const user = decoded(url.username)
  const pass = decoded(url.password)
  if (user === null || pass === null || (user === '') !== (pass === '')) return null
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? PORTS[protocol] : Number(port),
    secure: protocol === 'smtps:',
    auth: user === '' ? null : { user, pass },
  }
}

/** Decodes a part of a URL; `null` when it has a percent sign that is not an escape. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
