/**
 * The token that a link carries behind its `#`, which no server and no log sees. It is removed from the address bar, so
 * that nobody copies it along with the address.
 */
export function takeToken(): string | null {
  const token = window.location.hash.slice(1)
  if (token === '') return null
  window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search)
  return decodeURIComponent(token)
}
