import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'

/** Redrawing after a window change takes a moment. */
const TRIES = 30
const BETWEEN_TRIES_MS = 50

/**
 * Damage to a page by others' texts: raw invisible or reordering characters, right-to-left letters that are
 * not isolated from the page's own words, markup, and overflowing parts.
 */
const FAULTS = `(() => {
  const faults = new Set()
  const shortened = (text) => JSON.stringify(text.slice(0, 80))
  const beyond = document.documentElement.scrollWidth - innerWidth
  if (beyond > 0) faults.add(beyond + ' px wider than the window')

  const RAW = /[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\u{e0000}-\\u{e0fff}]/u
  const RIGHT_TO_LEFT = /\\p{Script=Hebrew}/u
  const WHOLE = /^\\s*\\[RLO\\][^]*\\u00b6\\s*$/
  const isInline = (element) => ['inline', 'contents'].includes(getComputedStyle(element).display)
  const blockOf = (element) => (isInline(element) ? blockOf(element.parentElement) : element)
  const leftBy = (text) => {
    const range = document.createRange()
    range.selectNodeContents(text)
    const { left, right } = range.getBoundingClientRect()
    if (left === right) return null
    for (let around = text.parentElement; around !== document.body; around = around.parentElement) {
      const edges = around.getBoundingClientRect()
      if (isInline(around) || edges.width === 0) continue
      // These are cut or scrolled, which is meant.
      if (getComputedStyle(around).overflowX !== 'visible' || around.matches('.ph-unwrapped')) return null
      // A space at the end of a line may hang over.
      if (left < edges.left - 8 || right > edges.right + 8) return around
    }
    return null
  }
  const LONG = 60
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const { data, parentElement: parent } = node
    // What is typed must be there as it is.
    if (parent.closest('script, style, textarea') !== null) continue
    if (RAW.test(data)) faults.add('raw characters in ' + parent.tagName + ': ' + shortened(data))
    if (parent.closest('title, option') !== null) continue
    const place = data.length < LONG ? null : leftBy(node)
    if (place !== null) faults.add(place.tagName + '.' + place.className + ' is left by ' + shortened(data))
    if (!RIGHT_TO_LEFT.test(data)) continue
    const bdi = parent.closest('bdi')
    const isApart = bdi !== null && getComputedStyle(bdi).unicodeBidi === 'isolate'
    const isAlone = WHOLE.test(data) && blockOf(parent).textContent.trim() === data.trim()
    if (!isApart && !isAlone) faults.add('direction of ' + parent.tagName + ' leaks: ' + shortened(data))
  }

  for (const element of document.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      if (name !== 'value' && RAW.test(value)) faults.add('raw characters in ' + name + ': ' + shortened(value))
    }
  }
  const made = 'main iframe, main script, [onerror], [onload], [ontoggle], [srcdoc], img[src="x"], [href^="javascript:" i]'
  for (const element of document.querySelectorAll(made)) faults.add('markup: ' + shortened(element.outerHTML))

  return [...faults]
})()`

/** Problems of a page at a window width, once its layout has settled; empty if there are none. */
export async function faultsAt(page: Page, width: number): Promise<readonly string[]> {
  const { height = 0 } = page.viewportSize() ?? {}
  await page.setViewportSize({ width, height })
  let faults: readonly string[] = []
  for (let tried = 0; tried < TRIES; tried++) {
    faults = await page.evaluate<readonly string[]>(FAULTS)
    if (faults.length === 0) break
    await sleep(BETWEEN_TRIES_MS)
  }
  return faults
}

/** Opens collapsed parts, one after the other. @returns how many there were */
const UNFOLD = `(async () => {
  const folded = document.querySelectorAll('main [aria-expanded="false"]:not([aria-haspopup])')
  const visible = [...folded].filter((one) => one.checkVisibility())
  for (const one of visible) {
    one.click()
    await new Promise((done) => setTimeout(done))
  }
  return visible.length
})()`
/** Opened parts may contain others. */
const DEEPEST = 8

/** Opens all collapsed parts, since parts that are not rendered cannot attack. */
export async function unfold(page: Page): Promise<void> {
  for (let depth = 0; depth < DEEPEST; depth++) if ((await page.evaluate<number>(UNFOLD)) === 0) return
  throw new Error(`something stays folded at ${page.url()}`)
}

/** All text on a page, its dialogs and its messages. */
export const readable = (page: Page): Promise<string> => page.evaluate<string>('document.body.innerText')
