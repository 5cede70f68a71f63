/** Network behavior in addition to a plain answer, or instead of one. */
type Trick =
  /** Reads the request and resets the connection. */
  | 'hangUp'
  /** Reads the request and says nothing. */
  | 'silence'
  /** The head comes byte by byte, too slowly to end in time. */
  | 'dripHead'
  /** The head comes at once, the body byte by byte. */
  | 'dripBody'
  /** Resets the connection right after the head. */
  | 'resetAfterHead'
  /** Less body than `content-length` says, then the end. */
  | 'shortBody'
  /** More bytes than `content-length` says. */
  | 'longBody'
  | 'hugeBody'
  /** A first line that is not HTTP. */
  | 'garbage'
  /** An interim response before the answer. */
  | 'interim'

/** How a hook answers. */
export type Behavior =
  | { readonly kind: 'prompt' }
  /** Fails the first one or two requests of every fifth event, by a status or by hanging up. */
  | { readonly kind: 'flaky' }
  | { readonly kind: 'slow'; readonly delayMs: number }
  | {
      readonly kind: 'status'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly kind: 'trick'; readonly trick: Trick }
  /** Each event meets one of them, always the same. */
  | { readonly kind: 'moody'; readonly moods: readonly Behavior[] }

export interface Answer {
  readonly status: number
  readonly delayMs: number
  readonly headers: Readonly<Record<string, string>>
  readonly trick: Trick | null
}

const OK = 204
/** With these tricks the sender gets no status line. */
const WITHOUT_STATUS: readonly (Trick | null)[] = ['hangUp', 'silence', 'dripHead', 'garbage']

const plain = (status: number, delayMs = 0): Answer => ({ status, delayMs, headers: {}, trick: null })
const trick = (name: Trick): Answer => ({ ...plain(200), trick: name })

/** @param earlier requests of the same event that this hook has already seen */
export function answerTo(behavior: Behavior, eventId: string, earlier: number): Answer {
  switch (behavior.kind) {
    case 'prompt':
      return plain(OK)
    case 'slow':
      return plain(OK, behavior.delayMs)
    case 'status':
      return { ...plain(behavior.status), headers: behavior.headers ?? {} }
    case 'trick':
      return trick(behavior.trick)
    case 'moody':
      return answerTo(behavior.moods[hashOf(eventId) % behavior.moods.length]!, eventId, earlier)
    case 'flaky':
      return flaky(eventId, earlier)
  }
}

/** The status that the sender can know; `null`: it gets none. */
export const statusSent = ({ status, trick }: Answer) => (WITHOUT_STATUS.includes(trick) ? null : status)

function flaky(eventId: string, earlier: number): Answer {
  const hash = hashOf(eventId)
  // Decided by the event's id, not by chance: so every event is finally received, whatever the seed.
  const failures = hash % 5 === 0 ? 1 + ((hash >>> 8) % 2) : 0
  if (earlier >= failures) return plain(OK)
  return (hash >>> 16) % 3 === 0 ? trick('hangUp') : plain(503)
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
