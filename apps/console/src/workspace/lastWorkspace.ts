const STORED_AS = 'posthorn-last-workspace'

/** The workspace that was looked at last in this browser, by its id. */
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
    // Some browsers keep nothing for a page inside another; then the first workspace is home.
  }
}
