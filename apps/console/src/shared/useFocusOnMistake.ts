import { type RefObject, useEffect, useState } from 'react'

/**
 * Moves the focus to the first field of a form that says what is wrong with it.
 * @returns call it once the mistakes are known; it looks after they were drawn
 */
export function useFocusOnMistake(form: RefObject<HTMLElement | null>): () => void {
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    if (asked === 0) return
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid] input')?.focus()
  }, [asked, form])
  return () => setAsked((times) => times + 1)
}
