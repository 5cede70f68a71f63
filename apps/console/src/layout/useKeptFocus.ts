import { type RefObject, useEffect } from 'react'

/** What may take the focus over for what stood in it. */
const DIALOG = '[role="dialog"]'
const REGIONS = `main, ${DIALOG}`

/** Dialogs give the focus back by themselves, once they are closed; those that are taken away with it do not. */
const DIALOGS_FIRST_MS = 250

/**
 * Keeps the focus of those who work with the keyboard: what has it may be disabled while its work is done, and gets it
 * back, or go away once it is done, and leaves it to what stood around it, to what opened its dialog, at last to the page.
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
      // What is no control takes the focus for this once, and is passed by afterwards.
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
    // Whoever points beside everything means to have no focus.
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

/** An element and all around it, from the inside out. */
function lineOf(element: HTMLElement): readonly HTMLElement[] {
  const line = [element]
  for (let at = element.parentElement; at !== null; at = at.parentElement) line.push(at)
  return line
}
