import { groupBy } from '../../core/groupBy.ts'
import { ordinalText, SEGMENT_EVENTS } from '../../core/search/ordinals.ts'
import type { Term } from '../../core/search/terms.ts'
import type { IndexPart } from '../storage.ts'
import { dayOf } from './layout.ts'
import { records, sql } from './sql.ts'
import { row, type Work } from './work.ts'

const openSegment = sql`
  SELECT segment, filled FROM search_segments
  WHERE workspace_id = $1 AND created_at = $2 AND filled < ${String(SEGMENT_EVENTS)} ORDER BY segment DESC LIMIT 1`

export interface EventToIndex {
  readonly id: number
  readonly createdAt: number
  /** What finds it. */
  readonly terms: ReadonlySet<Term>
}

interface Filling {
  readonly segment: number
  readonly day: number
  firstAt: number
  lastAt: number
  filled: number
  readonly ordinals: Map<Term, string>
}

/** The segments of a workspace's index that a part adds events to. */
export class SearchSegments {
  readonly #workspaceId: number
  readonly #filling: Filling[] = []
  readonly #events: Record<string, number>[] = []
  /** Those that had events before, and how many. */
  readonly opened: { readonly segment: number; readonly day: number; readonly filled: number }[] = []
  /** The number of the next segment to begin. */
  next: number

  constructor({ workspaceId, nextSegment }: { readonly workspaceId: number; readonly nextSegment: number }) {
    this.#workspaceId = workspaceId
    this.next = nextSegment
  }

  *add(events: readonly EventToIndex[], test: boolean): Work<void> {
    for (const [day, ofDay] of groupBy(events, ({ createdAt }) => dayOf(createdAt).from)) {
      let to = this.#filling.findLast((one) => one.day === day && one.filled < SEGMENT_EVENTS)
      to ??= yield* this.#open(day)
      for (const { id, createdAt, terms } of ofDay) {
        if (to.filled === SEGMENT_EVENTS) to = this.#begin(day)
        const ordinal = to.filled++
        to.firstAt = Math.min(to.firstAt, createdAt)
        to.lastAt = Math.max(to.lastAt, createdAt)
        this.#events.push({ segment: to.segment, ordinal, day, id, at: createdAt, test: Number(test) })
        for (const term of terms) to.ordinals.set(term, (to.ordinals.get(term) ?? '') + ordinalText(ordinal))
      }
    }
  }

  rows(): IndexPart['rows'] {
    const workspace_id = this.#workspaceId
    const segments = this.#filling.map(({ segment, day, firstAt, lastAt, filled }) => ({
      workspace_id,
      segment,
      created_at: day,
      first_at: firstAt,
      last_at: lastAt,
      filled,
    }))
    const terms = this.#filling.map(({ segment, day, ordinals }) => ({
      segment,
      day,
      ordinals: ordinalsByTerm(ordinals),
    }))
    return { segments: records(segments), events: records(this.#events), terms }
  }

  *#open(day: number): Work<Filling> {
    const open = yield* row<{ readonly segment: number; readonly filled: number }>(openSegment, [
      this.#workspaceId,
      day,
    ])
    if (open === undefined) return this.#begin(day)
    this.opened.push({ day, ...open })
    return this.#fill(open.segment, day, open.filled)
  }

  #begin(day: number): Filling {
    return this.#fill(this.next++, day, 0)
  }

  #fill(segment: number, day: number, filled: number): Filling {
    const filling = {
      segment,
      day,
      firstAt: Number.MAX_SAFE_INTEGER,
      lastAt: 0,
      filled,
      ordinals: new Map<Term, string>(),
    }
    this.#filling.push(filling)
    return filling
  }
}

/** In the order of terms: rows that lie side by side are added at a time, and two nodes lock none in different orders. */
function ordinalsByTerm(ordinals: ReadonlyMap<Term, string>): string {
  // Creating an object with so many numeric names is slow, and `ordinalText` needs no escapes.
  const members = [...ordinals].sort(([a], [b]) => a - b).map(([term, text]) => `"${term}":"${text}"`)
  return `{${members.join()}}`
}
