import { showFailure } from './notify.ts'

/** A longer text cannot be read in a message. */
const LONGEST_SHOWN = 200

/** Puts a text on the clipboard, or tells whoever asked for it to do so by hand. @returns whether it is there */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // A page inside another may not be allowed to, nor one without https.
    const instead =
      text.length > LONGEST_SHOWN ? 'Select it on the page and copy it by hand.' : `Copy it by hand: ${text}`
    showFailure('This browser does not let the page copy', new Error(instead))
    return false
  }
}
