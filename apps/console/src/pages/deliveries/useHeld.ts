import { type RefObject, useCallback, useEffect, useRef } from 'react'

/** Above this the list counts as scrolled away from: its first row is under the head of the page. */
const TOP_PX = 60
/** A hand that has just moved over the rows is about to click one. */
const POINTER_RESTS_AFTER_MS = 1_500

/** Tells whether new rows on top of a list would move something under whoever reads, points at or has focused it. */
export function useHeld(list: RefObject<HTMLElement | null>, always: boolean): () => boolean {
  const movedAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const element = list.current
    if (element === null) return
    const moved = (event: PointerEvent) => {
      if (event.pointerType === 'mouse') movedAt.current = event.timeStamp
    }
    element.addEventListener('pointermove', moved)
    return () => element.removeEventListener('pointermove', moved)
  }, [list])
  return useCallback(() => {
    const element = list.current
    if (always || element === null) return always
    return (
      element.getBoundingClientRect().top < TOP_PX ||
      element.contains(document.activeElement) ||
      performance.now() - movedAt.current < POINTER_RESTS_AFTER_MS
    )
  }, [list, always])
}
