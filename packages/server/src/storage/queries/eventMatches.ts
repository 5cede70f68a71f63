import { groupBy } from '../../core/groupBy.ts'
import { Ordinals } from '../../core/search/ordinals.ts'
import { type Term, termOfType, termOfWord } from '../../core/search/terms.ts'
import type { TextQuery } from '../storage.ts'
import { searchIndexSql, termsOf, withinBytes } from './searchIndex.ts'
import { either, numberList, sql } from './sql.ts'
import { all, row, rows, type Work } from './work.ts'

/** Segments that one call looks at: those of 20 million events. */
const MOST_SEGMENTS = 20_000
/** Segments of a day whose terms are read in one statement. */
const SEGMENTS_AT_ONCE = 128
/** Events that are not indexed yet and are looked at one by one. */
const MOST_UNINDEXED = 500

const eventMatchSql = {
  segments: sql`
    SELECT segment, created_at AS day, last_at AS "lastAt" FROM search_segments
    WHERE workspace_id = $1 AND last_at >= $2 AND first_at <= $3 ORDER BY last_at DESC, segment DESC LIMIT $4`,
  terms: either({
    sqlite: `
      SELECT segment, ordinals FROM search_terms
      WHERE workspace_id = $1 AND segment IN (SELECT value FROM json_each($2)) AND term IN (SELECT value FROM json_each($3))
        AND $4 >= 0`,
    postgres: `
      SELECT segment, ordinals FROM search_terms
      WHERE workspace_id = $1 AND segment = ANY ($2::bigint[]) AND term = ANY ($3::bigint[]) AND created_at = $4`,
  }),
  events: either({
    sqlite: `
      SELECT ordinal, event_id AS id, event_at AS "createdAt", test FROM search_events
      WHERE workspace_id = $1 AND segment = $2 AND $3 >= 0`,
    postgres: `
      SELECT ordinal, event_id AS id, event_at AS "createdAt", test FROM search_events
      WHERE workspace_id = $1 AND segment = $2 AND created_at = $3`,
  }),
  reached: sql`SELECT major, minor FROM search_progress WHERE workspace_id = $1`,
  /** Events that are not indexed yet, in the order of the feed. */
  unindexed: either({
    sqlite: `
      SELECT e.id, e.created_at AS "createdAt", e.type, octet_length(e.body) AS size FROM events e INDEXED BY events_feed
      WHERE e.workspace_id = $1 AND e.seq > $2 AND $3 >= 0 ORDER BY e.seq LIMIT $4`,
    postgres: `
      SELECT e.id, e.created_at AS "createdAt", e.type, octet_length(e.body) AS size FROM events e
      WHERE e.workspace_id = $1 AND (e.xact, e.id) > ($2, $3) ORDER BY e.xact, e.id LIMIT $4`,
  }),
}

export interface EventQuery {
  readonly workspaceId: number
  /** `null`: of any. */
  readonly eventTypes: readonly string[] | null
  readonly text: TextQuery | null
  readonly tests: boolean
  /** Made at this time or later, and at this time or before. */
  readonly from: number
  readonly through: number
}

export interface FoundEvent {
  readonly id: number
  readonly createdAt: number
}

interface Segment {
  readonly segment: number
  readonly day: number
  readonly lastAt: number
}

interface MatchedSegment extends Segment {
  readonly has: Ordinals
}

type Unindexed = FoundEvent & { readonly type: string; readonly size: number }

/** Events that a query finds, newest first: first those that the index names, and with them the newest, which it does not have yet. */
export class EventMatches {
  readonly #query: EventQuery
  /** Groups of terms: a matching event has at least one term of each group. */
  readonly #groups: readonly (readonly Term[])[]
  readonly #segments: Segment[]
  #matched: MatchedSegment[] = []
  /** Read and not returned yet, newest first. */
  #read: FoundEvent[]
  /** When the first event was made that is neither in the index nor was looked at; `null`: there is none. */
  readonly reachesUntil: number | null
  /** Segments beyond these were not looked at. */
  readonly #stopsAt: number | null

  private constructor(
    query: EventQuery,
    groups: readonly (readonly Term[])[],
    segments: readonly Segment[],
    unindexed: { readonly found: readonly FoundEvent[]; readonly reachesUntil: number | null },
  ) {
    this.#query = query
    this.#groups = groups
    this.#segments = segments.slice(0, MOST_SEGMENTS)
    this.#stopsAt = segments[MOST_SEGMENTS]?.lastAt ?? null
    this.#read = [...unindexed.found].sort(byNewest)
    this.reachesUntil = unindexed.reachesUntil
  }

  static *of(query: EventQuery): Work<EventMatches> {
    const { workspaceId, eventTypes, text, from, through } = query
    const words = (text?.words ?? []).map((word) => [termOfWord(word)])
    const groups = eventTypes === null ? words : [...words, eventTypes.map(termOfType)]
    const [segments, reached] = yield* all(
      rows<Segment>(eventMatchSql.segments, [workspaceId, from, through, MOST_SEGMENTS + 1]),
      row<{ readonly major: number; readonly minor: number }>(eventMatchSql.reached, [workspaceId]),
    )
    return new EventMatches(query, groups, segments, yield* unindexedOf(query, groups, reached ?? BEGINNING))
  }

  /** Where the search ended before it had looked at everything; `null`: it did not. */
  get stoppedAt(): FoundEvent | null {
    return this.#stopsAt === null ? null : { createdAt: this.#stopsAt, id: Number.MAX_SAFE_INTEGER }
  }

  /** @returns the next `count`, and with the last all that were made in the same millisecond; fewer: these are the last */
  *next(count: number): Work<readonly FoundEvent[]> {
    for (;;) {
      const last = this.#read[count - 1]
      const segment = yield* this.#peek()
      if (segment !== undefined && (last === undefined || segment.lastAt >= last.createdAt)) {
        this.#matched.shift()
        yield* this.#load(segment)
        continue
      }
      let end = Math.min(count, this.#read.length)
      while (
        end > 0 &&
        end < this.#read.length &&
        this.#read[end]!.createdAt === this.#read[end - 1]!.createdAt
      )
        end++
      return this.#read.splice(0, end)
    }
  }

  /** The next segment that has a match. */
  *#peek(): Work<MatchedSegment | undefined> {
    while (this.#matched.length === 0 && this.#segments.length > 0) {
      const { day } = this.#segments[0]!
      const other = this.#segments.findIndex((one) => one.day !== day)
      const count = Math.min(other === -1 ? this.#segments.length : other, SEGMENTS_AT_ONCE)
      this.#matched = yield* this.#matchesIn(this.#segments.splice(0, count), day)
    }
    return this.#matched[0]
  }

  *#matchesIn(segments: readonly Segment[], day: number): Work<MatchedSegment[]> {
    let left: MatchedSegment[] = segments.map((one) => ({ ...one, has: Ordinals.all() }))
    for (const terms of this.#groups) {
      if (left.length === 0) return []
      const found = yield* rows<{ readonly segment: number; readonly ordinals: string }>(
        eventMatchSql.terms,
        [this.#query.workspaceId, numberList(left.map(({ segment }) => segment)), numberList(terms), day],
      )
      const bySegment = groupBy(found, ({ segment }) => segment)
      left = left.filter(({ segment, has }) => {
        const some = new Ordinals()
        for (const { ordinals } of bySegment.get(segment) ?? []) some.addText(ordinals)
        has.keep(some)
        return !has.empty
      })
    }
    return left
  }

  *#load({ segment, day, has }: MatchedSegment): Work<void> {
    const { workspaceId, from, through, tests } = this.#query
    const events = yield* rows<FoundEvent & { readonly ordinal: number; readonly test: boolean | number }>(
      eventMatchSql.events,
      [workspaceId, segment, day],
    )
    for (const { ordinal, id, createdAt, test } of events) {
      if (createdAt < from || createdAt > through || !has.has(ordinal) || (test && !tests)) continue
      // The next call finds the rest.
      if (this.#stopsAt === null || createdAt > this.#stopsAt) this.#read.push({ id, createdAt })
    }
    this.#read.sort(byNewest)
  }
}

const BEGINNING = { major: 0, minor: 0 }

const byNewest = (a: FoundEvent, b: FoundEvent): number => b.createdAt - a.createdAt || b.id - a.id

/** Reads events that were published since the index was written, up to a bound. */
function* unindexedOf(
  { workspaceId, text, tests, from, through }: EventQuery,
  groups: readonly (readonly Term[])[],
  { major, minor }: { readonly major: number; readonly minor: number },
): Work<{ readonly found: readonly FoundEvent[]; readonly reachesUntil: number | null }> {
  const [entries, ofTests] = yield* all(
    rows<Unindexed>(eventMatchSql.unindexed, [workspaceId, major, minor, MOST_UNINDEXED + 1]),
    rows<Unindexed>(searchIndexSql.tests, [workspaceId]),
  )
  const some = entries.slice(0, MOST_UNINDEXED)
  const looked = text === null ? some : withinBytes(some)
  const candidates = [...looked, ...(tests ? withinBytes(ofTests) : [])].filter(
    ({ createdAt }) => createdAt >= from && createdAt <= through,
  )
  const terms = yield* termsOf(candidates, text?.members ?? [])
  const found = candidates.filter(({ id }) =>
    groups.every((group) => group.some((term) => terms.get(id)!.has(term))),
  )
  return { found, reachesUntil: entries[looked.length]?.createdAt ?? null }
}
