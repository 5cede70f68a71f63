const STORED_AS = 'posthorn-last-workspace'

/** Id of the workspace viewed last in this browser. */
export function lastWorkspace(): string | null {
  try {
    return window.localStorage.getItem(STORED_AS)
  } catch {
    return null
  }
}

export function keepLastWorkspace(id: string): void {
  try {
    window.localStorage.setItem(STORED_AS, id)
  } catch {
    // Some browsers block storage in frames. The first workspace is then the home page.
  }
}
