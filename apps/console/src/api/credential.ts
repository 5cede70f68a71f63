/**
 * Whose session requests are made in. In a window of its own that is a cookie that scripts cannot read. Inside another
 * site's page browsers keep cookies away, so there a member's token is held in memory and, for a reload, in the storage
 * of that tab.
 */
const STORED_AS = 'posthorn-embedded-session'

/** Everything under this path is the console inside another page. */
export const EMBED_PATH = '/embed'

export const isEmbedded =
  window.location.pathname === EMBED_PATH || window.location.pathname.startsWith(`${EMBED_PATH}/`)

/** A session inside another page, and the token of the link that it was begun with, which is spent. */
interface Embedded {
  readonly bearer: string
  readonly link: string
}

let embedded: Embedded | null = isEmbedded ? stored() : null

export const bearerToken = (): string | null => embedded?.bearer ?? null

/** Whether the session was begun with this very link: a page that is loaded anew names its link once more. */
export const isBegunWith = (link: string): boolean => embedded?.link === link

export function keepBearer(bearer: string, link: string): void {
  embedded = { bearer, link }
  try {
    window.sessionStorage.setItem(STORED_AS, JSON.stringify(embedded))
  } catch {
    // Without storage the session lasts until the frame is loaded anew.
  }
}

/** Forgets the session of before. @returns its token; `null`: there was none */
export function dropBearer(): string | null {
  const former = bearerToken()
  embedded = null
  try {
    window.sessionStorage.removeItem(STORED_AS)
  } catch {
    // Without storage nothing is left there.
  }
  return former
}

function stored(): Embedded | null {
  try {
    // Nobody but this console writes there.
    return JSON.parse(window.sessionStorage.getItem(STORED_AS) ?? 'null') as Embedded | null
  } catch {
    return null
  }
}
