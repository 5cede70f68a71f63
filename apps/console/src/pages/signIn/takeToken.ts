/**
 * The token that a link carries behind its `#`, which no server and no log sees. It is removed from the address bar, so
 * that nobody copies it along with the address.
 */
export function takeToken(): string | null {
  const token = window.location.hash.slice(1)
  if (token === '') return null
  window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search)
  return token
}

const ENTRANCE = /^\/(sign-in|portal|embed)\/?$/

/** A link that is opened in a tab which is already where it leads changes only what is behind the `#`: the page begins anew. */
export function followFurtherLinks(): void {
  window.addEventListener('hashchange', () => {
    if (ENTRANCE.test(window.location.pathname) && window.location.hash !== '') window.location.reload()
  })
}
