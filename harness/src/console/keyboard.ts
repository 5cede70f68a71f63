import type { Locator, Page } from 'playwright-core'
import { eventually } from '../support/waiting.ts'

const MOST_STOPS = 120
const SEEN_WITHIN_MS = 5_000

/** What a sighted user knows about the keyboard focus. */
interface Focus {
  /** Nothing has the focus. */
  readonly lost: boolean
  /** It differs from unfocused elements by an outline, or by the border of a field. */
  readonly visible: boolean
  readonly text: string
}

/** Records how fields look without focus, to detect a change. The parent of a field may draw its border. */
const NOTE_FIELDS = `
  window.unfocused ??= new WeakMap()
  window.frameOf = (field) =>
    [field, field.parentElement].map((element) => getComputedStyle(element).borderColor).join()
  for (const field of document.querySelectorAll('input, textarea, select'))
    if (field !== document.activeElement && !window.unfocused.has(field))
      window.unfocused.set(field, window.frameOf(field))
`

const READ_FOCUS = `(() => {
  const at = document.activeElement
  const lost = at === null || at === document.body
  if (lost) return { lost, visible: false, text: '' }
  const shows = (element) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow.includes('0px 0px 0px')
  }
  const label = at.labels?.[0]
  const before = window.unfocused?.get(at)
  const border = before !== undefined && before !== window.frameOf(at)
  const { width, height, top, bottom } = at.getBoundingClientRect()
  const seen = width > 0 && height > 0 && bottom > 0 && top < innerHeight
  const text = (at.getAttribute('aria-label') ?? at.textContent ?? '').trim().slice(0, 60)
  return {
    lost,
    visible: (seen || label !== undefined) && (shows(at) || border || (label != null && shows(label))),
    text: at.tagName + ' ' + (at.type ?? '') + ' ' + text,
  }
})()`

/** Resolves once an element has the focus. @throws Error when it is lost */
export async function focusKept(page: Page): Promise<void> {
  await eventually(async () => ((await page.evaluate<Focus>(READ_FOCUS)).lost ? null : true), {
    withinMs: SEEN_WITHIN_MS,
    what: `focus at ${page.url()}`,
  })
}

/**
 * Presses Tab until the target has the focus, as a person without a mouse does.
 * @param back goes backwards
 * @throws Error when the target is not reached, or the focus is lost or invisible on the way
 */
export async function tabTo(page: Page, target: Locator, back = false): Promise<void> {
  // Some controls are drawn by their label and have no size.
  await target.first().waitFor({ state: 'attached' })
  const stops: string[] = []
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    if (await isFocused(target)) return
    await page.evaluate(NOTE_FIELDS)
    await page.keyboard.press(back ? 'Shift+Tab' : 'Tab')
    const { lost, text } = await page.evaluate<Focus>(READ_FOCUS)
    // Past its end a page hands the focus to the browser's own controls, and gets it back from there.
    if (lost) continue
    stops.push(text)
    // Colors change with a short transition.
    await eventually(
      async () => {
        const focus = await page.evaluate<Focus>(READ_FOCUS)
        return focus.visible || focus.text !== text ? true : null
      },
      { withinMs: SEEN_WITHIN_MS, what: `sight of the focus on ${text} at ${page.url()}` },
    )
  }
  throw new Error(`not reached by Tab at ${page.url()}; stops: ${stops.join(' | ')}`)
}

const isFocused = (target: Locator): Promise<boolean> =>
  target.first().evaluate((element) => element === element.ownerDocument.activeElement)
