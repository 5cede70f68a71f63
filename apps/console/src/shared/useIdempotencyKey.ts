import { useRef } from 'react'

/**
 * The idempotency key of a create request. The same input keeps its key, so that a second click or a retry creates nothing
 * twice. Other input gets another key.
 */
export function useIdempotencyKey(): (input: unknown) => string {
  const last = useRef<{ readonly input: string; readonly key: string } | null>(null)
  return (input) => {
    const text = JSON.stringify(input)
    if (last.current?.input !== text) last.current = { input: text, key: randomKey() }
    return last.current.key
  }
}

/** 128 random bits. `crypto.randomUUID` is unavailable on plain HTTP. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
