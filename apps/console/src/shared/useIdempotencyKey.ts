import { useRef } from 'react'

/**
 * The key under which a create is sent. It stays the same for the same input, so that a second click or another try after
 * a broken connection makes nothing twice; other input is another request and gets another key.
 */
export function useIdempotencyKey(): (input: unknown) => string {
  const last = useRef<{ readonly input: string; readonly key: string } | null>(null)
  return (input) => {
    const text = JSON.stringify(input)
    if (last.current?.input !== text) last.current = { input: text, key: crypto.randomUUID() }
    return last.current.key
  }
}
