/** Pages that take the token of a link out of the address: whoever chose the way there would choose who signs in. */
const ENTRANCES = ['sign-in', 'portal', 'embed']

/**
 * Where to lead somebody who has signed in.
 * @param to from the address bar: anybody may have written it
 * @returns a path of this console; `undefined`: nowhere in particular
 */
export function arrivalPath(to: unknown): string | undefined {
  // Browsers take two slashes, or a backslash, for the beginning of another host.
  if (typeof to !== 'string' || !/^\/(?![/\\])/.test(to) || !URL.canParse(to, 'https://here.invalid'))
    return undefined
  const { origin, pathname, search, hash } = new URL(to, 'https://here.invalid')
  // Dots that the browser resolves may leave two slashes, as in `/.//evil.example`.
  if (pathname.startsWith('//')) return undefined
  const [first = ''] = pathname.split('/').filter((part) => part !== '')
  const isEntrance = ENTRANCES.includes(decoded(first).toLowerCase())
  return origin === 'https://here.invalid' && !isEntrance ? pathname + search + hash : undefined
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
