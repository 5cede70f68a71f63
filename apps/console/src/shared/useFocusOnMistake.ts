import { type RefObject, useEffect, useState } from 'react'

/**
 * Moves the focus to the first invalid field of a form.
 * @returns call it when errors are set; it runs after they are rendered
 */
export function useFocusOnMistake(form: RefObject<HTMLElement | null>): () => void {
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    if (asked === 0) return
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid] input')?.focus()
  }, [asked, form])
  return () => setAsked((times) => times + 1)
}
