/** How a hook answers. */
export type Behaviour =
  | { readonly kind: 'prompt' }
  /** Fails the first one or two requests of every fifth event, by a status or by hanging up. */
  | { readonly kind: 'flaky' }
  | { readonly kind: 'slow'; readonly delayMs: number }

export type Answer = { readonly status: number; readonly delayMs: number } | { readonly hangUp: true }

const OK = 204

/** @param earlier requests of the same event that this hook has seen before */
export function answerTo(behaviour: Behaviour, eventId: string, earlier: number): Answer {
  if (behaviour.kind === 'prompt') return { status: OK, delayMs: 0 }
  if (behaviour.kind === 'slow') return { status: OK, delayMs: behaviour.delayMs }
  const hash = hashOf(eventId)
  // Decided by the event's id, not by chance: so every event is received in the end, whatever the seed.
  const failures = hash % 5 === 0 ? 1 + ((hash >>> 8) % 2) : 0
  if (earlier >= failures) return { status: OK, delayMs: 0 }
  return (hash >>> 16) % 3 === 0 ? { hangUp: true } : { status: 503, delayMs: 0 }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
