/** Cookies hold some 4 KB, and other things as well. */
const MAX_LENGTH = 1_024
/** Pages of the console, without those that accept sign-in links. */
const PAGES = /^\/($|w\/|operator$|operator\/)/

/**
 * Where to go after the sign-in.
 * @param next from the address bar: anyone may have written it
 * @returns a path of the console
 */
export function nextPath(next: unknown): string {
  if (typeof next !== 'string' || !next.startsWith('/') || !URL.canParse(next, HERE)) return '/'
  const { origin, pathname, search, hash } = new URL(next, HERE)
  const path = pathname + search + hash
  return origin === HERE && PAGES.test(pathname) && path.length <= MAX_LENGTH ? path : '/'
}

const HERE = 'https://here.invalid'
