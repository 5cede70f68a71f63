import { type RefObject, useEffect } from 'react'

/** Containers that can receive the focus of a removed child. */
const DIALOG = '[role="dialog"]'
const REGIONS = `main, ${DIALOG}`

/** Dialogs return the focus when they are closed, but not when they are removed. */
const DIALOGS_FIRST_MS = 250

/**
 * Restores the focus for keyboard users. An element that was disabled during an action gets it back. If the element was
 * removed, the focus moves to its nearest remaining container, to the element that opened its dialog, or to the page.
 */
export function useKeptFocus(page: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let line: readonly HTMLElement[] = []
    let opener: HTMLElement | null = null
    const note = ({ target }: FocusEvent) => {
      const before = line[0] ?? null
      const dialog = target instanceof Element ? target.closest(DIALOG) : null
      if (dialog !== null && before?.isConnected === true && !dialog.contains(before)) opener = before
      line = target instanceof HTMLElement ? lineOf(target) : []
    }
    const forget = () => {
      line = []
    }
    const keep = () => {
      const [last] = line
      if (last === undefined || !isLost()) return
      const heir = last.isConnected ? last : ([...line, opener].find(isHeir) ?? page.current)
      if (heir === null || heir.matches(':disabled')) return
      // Makes an element that is not a control focusable by script only.
      if (heir.tabIndex < 0) heir.tabIndex = -1
      heir.focus({ preventScroll: true })
    }
    let timer: ReturnType<typeof setTimeout> | undefined
    const observer = new MutationObserver(() => {
      if (line.length === 0 || !isLost()) return
      clearTimeout(timer)
      timer = setTimeout(keep, DIALOGS_FIRST_MS)
    })
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled'],
    })
    document.addEventListener('focusin', note)
    // A click on the background removes the focus on purpose.
    document.addEventListener('pointerdown', forget)
    return () => {
      clearTimeout(timer)
      observer.disconnect()
      document.removeEventListener('focusin', note)
      document.removeEventListener('pointerdown', forget)
    }
  }, [page])
}

const isLost = () => document.activeElement === null || document.activeElement === document.body
const isHeir = (element: HTMLElement | null) =>
  element?.isConnected === true && element.closest(REGIONS) !== null

/** An element and its ancestors, innermost first. */
function lineOf(element: HTMLElement): readonly HTMLElement[] {
  const line = [element]
  for (let at = element.parentElement; at !== null; at = at.parentElement) line.push(at)
  return line
}
