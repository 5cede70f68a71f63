import { useRef } from 'react'

/**
 * The key under which a create is sent. It stays the same for the same input, so that a second click or another try after
 * a broken connection makes nothing twice; other input is another request and gets another key.
 */
export function useIdempotencyKey(): (input: unknown) => string {
  const last = useRef<{ readonly input: string; readonly key: string } | null>(null)
  return (input) => {
    const text = JSON.stringify(input)
    if (last.current?.input !== text) last.current = { input: text, key: randomKey() }
    return last.current.key
  }
}

/** Of 128 bits. Browsers make UUIDs only where they hold the connection for secure, which a console on plain HTTP is not. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
