/**
 * Credentials of the current session. In its own window the console uses an HTTP-only cookie. Browsers block cookies in a
 * frame of another site, so an embedded console keeps a member's token in memory and in session storage.
 */
const STORED_AS = 'posthorn-embedded-session'

/** Paths of the embedded console start with this. */
export const EMBED_PATH = '/embed'

export const isEmbedded =
  window.location.pathname === EMBED_PATH || window.location.pathname.startsWith(`${EMBED_PATH}/`)

/** An embedded session, and the used link that started it. */
interface Embedded {
  readonly bearer: string
  readonly link: string
}

let embedded: Embedded | null = isEmbedded ? stored() : null

export const bearerToken = (): string | null => embedded?.bearer ?? null

/** Whether this link started the current session. A reloaded page still has its link in the URL. */
export const isBegunWith = (link: string): boolean => embedded?.link === link

export function keepBearer(bearer: string, link: string): void {
  embedded = { bearer, link }
  try {
    window.sessionStorage.setItem(STORED_AS, JSON.stringify(embedded))
  } catch {
    // Without storage the session ends when the frame is reloaded.
  }
}

/** Discards the current session. @returns its token; `null`: there was none */
export function dropBearer(): string | null {
  const former = bearerToken()
  embedded = null
  try {
    window.sessionStorage.removeItem(STORED_AS)
  } catch {
    // Without storage there is nothing to remove.
  }
  return former
}

function stored(): Embedded | null {
  try {
    // Only the console writes this item.
    return JSON.parse(window.sessionStorage.getItem(STORED_AS) ?? 'null') as Embedded | null
  } catch {
    return null
  }
}
