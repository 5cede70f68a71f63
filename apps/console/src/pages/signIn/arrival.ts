/** The page that a user wanted to open before they requested a link. The link itself does not contain it. */
interface Arrival {
  readonly email: string
  readonly to: string
  /** Time of the request, Unix ms. */
  readonly at: number
}

const STORED_AS = 'posthorn-arrival'
/** Lifetime of a link. */
const KEPT_MS = 15 * 60_000

/** @param to path in this console; `undefined`: the home page */
export function keepArrival(email: string, to: string | undefined): void {
  try {
    window.localStorage.removeItem(STORED_AS)
    if (to === undefined) return
    const arrival: Arrival = { email, to, at: Date.now() }
    window.localStorage.setItem(STORED_AS, JSON.stringify(arrival))
  } catch {
    // Without storage the link opens the home page.
  }
}

/** Returns the stored path of a user once. @param email `null`: signed in with the admin token */
export function takeArrival(email: string | null): string | undefined {
  try {
    const kept = window.localStorage.getItem(STORED_AS)
    window.localStorage.removeItem(STORED_AS)
    return kept === null ? undefined : arrivalOf(JSON.parse(kept) as Arrival, email)
  } catch {
    return undefined
  }
}

function arrivalOf(kept: Arrival, email: string | null): string | undefined {
  const isTheirs = email?.toLowerCase() === kept.email.toLowerCase()
  return isTheirs && Date.now() - kept.at < KEPT_MS ? kept.to : undefined
}
