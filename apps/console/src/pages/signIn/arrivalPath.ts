/** Pages that read a token from the URL. Redirects to them would let an attacker choose who is signed in. */
const ENTRANCES = ['sign-in', 'portal', 'embed']

/**
 * Validates the redirect after a sign-in.
 * @param to untrusted, from the URL
 * @returns a path of this console; `undefined`: the home page
 */
export function arrivalPath(to: unknown): string | undefined {
  // Browsers treat two slashes, or a backslash, as the start of another host.
  if (typeof to !== 'string' || !/^\/(?![/\\])/.test(to) || !URL.canParse(to, 'https://here.invalid'))
    return undefined
  const { origin, pathname, search, hash } = new URL(to, 'https://here.invalid')
  // Resolved dots may leave two slashes, as in `/.//evil.example`.
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
