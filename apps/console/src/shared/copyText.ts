import { showFailure } from './notify.ts'

/** Longest text that a message can show. */
const LONGEST_SHOWN = 200

/** Copies a text to the clipboard. If that fails, asks the user to copy it manually. @returns whether it was copied */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Embedded pages and pages without HTTPS may not be allowed to.
    const instead =
      text.length > LONGEST_SHOWN ? 'Select the text on the page and copy it.' : `Copy it manually: ${text}`
    showFailure('Your browser blocked copying', new Error(instead))
    return false
  }
}
