import { type RefObject, useCallback, useEffect, useRef } from 'react'

/** Above this position the list counts as scrolled: its first row is under the header. */
const TOP_PX = 60
/** A pointer that moved over the rows recently may be about to click one. */
const POINTER_RESTS_AFTER_MS = 1_500

/** Whether new rows at the top would shift a list that is being read, pointed at or focused. */
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
