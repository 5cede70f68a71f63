/**
 * Reads the token of a link from the URL fragment, which servers and logs do not see. Removes it from the address bar, so
 * that it is not copied with the URL.
 */
export function takeToken(): string | null {
  const token = window.location.hash.slice(1)
  if (token === '') return null
  window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search)
  return token
}

const ENTRANCE = /^\/(sign-in|portal|embed)\/?$/

/** Reloads the page when another link is opened in the same tab, which changes only the fragment. */
export function followFurtherLinks(): void {
  window.addEventListener('hashchange', () => {
    if (ENTRANCE.test(window.location.pathname) && window.location.hash !== '') window.location.reload()
  })
}
