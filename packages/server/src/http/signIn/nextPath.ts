/** Cookies hold some 4 KB, and other things as well. */
const MAX_LENGTH = 1_024
/** Pages of the console, and none that takes links. */
const PAGES = /^\/($|w\/|operator$|operator\/)/

/**
 * Where to lead somebody who has signed in.
 * @param next from the address bar: anybody may have written it
 * @returns a path of the console
 */
export function nextPath(next: unknown): string {
  if (typeof next !== 'string' || !next.startsWith('/') || !URL.canParse(next, HERE)) return '/'
  const { origin, pathname, search, hash } = new URL(next, HERE)
  const path = pathname + search + hash
  return origin === HERE && PAGES.test(pathname) && path.length <= MAX_LENGTH ? path : '/'
}

const HERE = 'https://here.invalid'
