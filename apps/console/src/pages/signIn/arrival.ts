/** Where somebody was on their way to when they asked for a link. The link, which opens in a tab of its own, cannot tell. */
interface Arrival {
  readonly email: string
  readonly to: string
  /** When the link was asked for, Unix ms. */
  readonly at: number
}

const STORED_AS = 'posthorn-arrival'
/** So long a link works. */
const KEPT_MS = 15 * 60_000

/** @param to path in this console; `undefined`: nowhere in particular */
export function keepArrival(email: string, to: string | undefined): void {
  try {
    window.localStorage.removeItem(STORED_AS)
    if (to === undefined) return
    const arrival: Arrival = { email, to, at: Date.now() }
    window.localStorage.setItem(STORED_AS, JSON.stringify(arrival))
  } catch {
    // Some browsers keep nothing; then people arrive at home.
  }
}

/** The path that this person wanted to see before they signed in, once. @param email `null`: signed in by the admin token */
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
