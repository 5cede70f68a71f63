import type { DeliveryStatus } from '../../core/delivery.ts'
import { pathsOf, wordsIn } from '../../core/search/words.ts'
import { isAmong, mayBeSuccess } from '../../core/statusCodes.ts'
import type { CallParams, CallResult } from '../callGroups.ts'
import type { DeliveryRecord } from '../rows.ts'
import { type DeliveryFilter, type DeliveryPosition, isNewer } from '../storage.ts'
import { type Candidates, chained, deliveriesOf, listed, ofMatches, withFew } from './candidates.ts'
import { isBeingCanceled, readDeliveries, readDelivery } from './deliveries.ts'
import { DeliveryWalk, type Entries, type Unhealthy, type Walked } from './deliveryWalk.ts'
import { EventMatches } from './eventMatches.ts'
import { inDayOf, LEASED, POSITIONS, positionValues, WAITING } from './layout.ts'
import { listInTransaction, type Queries } from './query.ts'
import { codeOf, codesReach, outcomesToIndex } from './searchCodes.ts'
import { each, either, type Fragment, isOneOf, joinEach, leftJoinEach, numberList, sql } from './sql.ts'
import { all, row, rows, rowsOfEach, type Work } from './work.ts'

/**
 * Deliveries looked at in one call: some 8 ms for one webhook. All customers' lists on SQLite are read by one thread, and wait for
 * each other.
 */
const MAX_LOOKED = 2_500
/**
 * Steps down the indexes that are taken before any row is found, of each day for each webhook: some 2 ms. Days further
 * back are looked at in larger and larger groups.
 */
const FIRST_STEPS = 1_000
/** Rows among which leased deliveries are looked for: some 10 ms. */
const MAX_SPREAD = 10_000
/** Deliveries that are first looked at where only some may match; where bodies are read, at most. */
const FIRST_BATCH = 128
/** Deliveries whose events' bodies are first read, since one may have 256 KiB. */
const FIRST_BODIES = 16
/** Characters of bodies read in one call: some 40 ms. */
const MAX_READ = 4 * 1024 ** 2
/** Looks for a delivery of an event at a webhook. */
const MOST_PROBES = 40_000
const LEAST_EVENTS = 4

const facts = (columns: string, joins: Fragment | string) => sql`
  SELECT d.id, d.status, d.attempts, w.canceled_through AS "canceledThrough", e.type${columns}
  FROM ${POSITIONS} ${joinEach('deliveries', 'd', sql`d.id = x.id ${inDayOf('d')}`)}
  ${joinEach('events', 'e', sql`e.id = d.event_id ${inDayOf('e')}`)} ${joins}
  JOIN webhooks w ON w.id = d.webhook_id`

/** The first attempt is stored in the delivery's row if it succeeded. */
const CODE = ', CASE WHEN a.number IS NULL THEN d.first_status_code ELSE a.status_code END AS "latestCode"'
const LATEST = leftJoinEach(
  'attempts',
  'a',
  sql`a.delivery_id = d.id AND a.number = d.attempts ${inDayOf('a')}`,
)

export const searchSql = {
  webhooks: sql`
    SELECT id, canceled_through AS "canceledThrough" FROM webhooks
    WHERE workspace_id = $1 AND deleted_at IS NULL AND id >= $2 AND id <= $3`,
  ofId: sql`
    SELECT d.id, d.created_at AS "createdAt" FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id
    WHERE d.id = $4 AND w.workspace_id = $1 AND w.deleted_at IS NULL AND w.id >= $2 AND w.id <= $3`,
  /** How many are leased, and how many rows it takes to find them: on PostgreSQL, ranges name others as well. */
  leasedCount: either({
    sqlite: `
      SELECT count(*) AS count, count(*) AS spread FROM (
        SELECT 1 FROM deliveries INDEXED BY deliveries_leased WHERE lease IS NOT NULL LIMIT ${MAX_SPREAD + 1})`,
    postgres: `
      SELECT coalesce(sum(open), 0)::bigint AS count,
        coalesce(sum(coalesce(cardinality(delivery_ids), last_id - first_id + 1)), 0)::bigint AS spread
      FROM leases WHERE id > 0`,
  }),
  waiting: each(
    { webhook_id: 'bigint' },
    sql`SELECT w.id, w.created_at AS "createdAt" FROM ${WAITING} w WHERE w.webhook_id = x.webhook_id LIMIT $3`,
  ),
  leased: sql`
    SELECT h.id, h.created_at AS "createdAt" FROM ${LEASED} h WHERE h.webhook_id ${isOneOf('$1', 'bigint')}`,
  facts: facts('', ''),
  factsAndBodies: facts(', e.body', ''),
  factsAndCodes: facts(CODE, LATEST),
  factsCodesAndBodies: facts(`${CODE}, e.body`, LATEST),
}

interface SearchedWebhook {
  readonly id: number
  readonly canceledThrough: number | null
}

type SearchCall = CallParams<'searchDeliveries'>

/** Where a search looks, and what to check of the rows there. */
interface Plan {
  readonly source: Candidates
  readonly checked: SearchCall
  readonly reachesUntil: number | null
}

/** @returns a search over one webhook, all of a workspace merged, or one event. */
export function searcher({
  maxLooked = MAX_LOOKED,
  firstSteps = FIRST_STEPS,
} = {}): (search: SearchCall) => Work<CallResult<'searchDeliveries'>> {
  function* planOf(search: SearchCall): Work<Plan> {
    const { workspaceId, webhookId, event, deliveryId, eventTypes, text } = search
    const among = [workspaceId, webhookId ?? 0, webhookId ?? Number.MAX_SAFE_INTEGER]
    const plan = (source: Candidates, reachesUntil: number | null = null): Plan => ({
      source,
      checked: search,
      reachesUntil,
    })
    if (deliveryId !== null) {
      const found = yield* rows<DeliveryPosition>(searchSql.ofId, [...among, deliveryId])
      return plan(listed(inRange(search, found)))
    }
    const ofEvents = { workspaceId, webhookId, before: searchStart(search), most: maxLooked + 1 }
    if (event !== null) return plan(listed(inRange(search, yield* deliveriesOf([event], ofEvents))))
    const webhooks = yield* rows<SearchedWebhook>(searchSql.webhooks, among)
    const few = yield* fewOf(search, webhooks)
    if (eventTypes === null && text === null) {
      if (few !== null) return plan(few.source, few.reachesUntil)
      return plan(
        yield* walk(search, webhooks, ({ canceledThrough }) => entriesFor(search, canceledThrough !== null)),
      )
    }
    if (few !== null) {
      const all = yield* few.source.next(maxLooked + 1)
      if (all.length <= maxLooked) return plan(listed(all), few.reachesUntil)
    }
    const { createdAt } = ofEvents.before
    const range = { from: search.from ?? 0, through: createdAt }
    const matches = yield* EventMatches.of({ workspaceId, eventTypes, text, tests: true, ...range })
    const probes = Math.max(LEAST_EVENTS, Math.floor(MOST_PROBES / Math.max(webhooks.length, 1)))
    const source = ofMatches(matches, ofEvents, Math.min(maxLooked, probes))
    return {
      source,
      checked: { ...search, eventTypes: null, text: null },
      reachesUntil: matches.reachesUntil,
    }
  }

  function walk(
    search: SearchCall,
    webhooks: readonly SearchedWebhook[],
    entriesOf: (webhook: SearchedWebhook) => readonly (Entries | Pick<Walked, 'entries' | 'code'>)[],
    { before = searchStart(search), from = search.from ?? 0 } = {},
  ): Work<DeliveryWalk> {
    const walked = webhooks.flatMap((webhook) =>
      entriesOf(webhook).map((entries) => ({
        webhookId: webhook.id,
        ...(typeof entries === 'string' ? { entries } : entries),
      })),
    )
    return DeliveryWalk.over(walked, { before, from, firstSteps })
  }

  /** Where what may match has an index, or is little; `null`: that is nowhere. */
  function* fewOf(
    search: SearchCall,
    webhooks: readonly SearchedWebhook[],
  ): Work<{ readonly source: Candidates; readonly reachesUntil: number | null } | null> {
    const { status, statusCodes: codes } = search
    if (codes !== null && !mayBeSuccess(codes)) return yield* withCode(search, webhooks, codeOf(codes))
    const pending = isForPending(search) ? yield* pendingOf(webhooks, maxLooked) : null
    if (pending !== null) return { source: listed(inRange(search, pending)), reachesUntil: null }
    if (status === null || status === 'pending' || status === 'delivered') return null
    const canceling =
      status === 'canceled' && webhooks.some(({ canceledThrough }) => canceledThrough !== null)
    if (canceling) return null
    return { source: yield* walk(search, webhooks, () => [status]), reachesUntil: null }
  }

  /** Deliveries from before codes were indexed are in the index of failed and retried ones. */
  function* withCode(search: SearchCall, webhooks: readonly SearchedWebhook[], code: number) {
    const { workspaceId, webhookId } = search
    const [reach, outcomes] = yield* all(codesReach(), outcomesToIndex(workspaceId, webhookId, maxLooked))
    const start = searchStart(search)
    const from = Math.max(search.from ?? 0, reach.since)
    const codes = yield* walk(search, webhooks, () => [{ entries: 'code', code }], { from })
    const edge = { createdAt: reach.since, id: 0 }
    const before = isNewer(start, edge) ? edge : start
    const earlier =
      reach.since <= (search.from ?? 0)
        ? listed([])
        : yield* walk(search, webhooks, () => entriesFor(search, true), { before })
    const source = withFew(inRange(search, outcomes.deliveries), chained(codes, earlier))
    return { source, reachesUntil: outcomes.reachesUntil }
  }

  /** Finds positions, without reading their rows. */
  function* find({
    source,
    checked,
  }: Plan): Work<{ found: DeliveryPosition[]; next: DeliveryPosition | null }> {
    const found: DeliveryPosition[] = []
    let last = checked.before
    let looked = 0
    let size = firstBatch(checked)
    let read = 0
    const isDone = () => found.length === checked.limit || looked === maxLooked
    for (;;) {
      // One more than is looked at shows whether there are more.
      const count = Math.min(size, maxLooked - looked) + 1
      const batch = yield* source.next(count)
      const { matches, characters } = yield* check(checked, batch)
      read += characters
      for (const position of batch) {
        if (isDone()) return { found, next: last }
        looked++
        last = position
        if (matches(position)) found.push(position)
      }
      if (batch.length < count) return { found, next: source.stoppedAt }
      if (read >= MAX_READ) return { found, next: last }
      size = nextSize(size, read / looked, MAX_READ - read)
    }
  }

  return function* (search) {
    const plan = yield* planOf(search)
    const { found, next } = yield* find(plan)
    return { deliveries: yield* readDeliveries(found), next, reachesUntil: plan.reachesUntil }
  }
}

export const searchQueries: Queries<'searchDeliveries' | 'getDelivery'> = {
  searchDeliveries: listInTransaction(searcher()),
  getDelivery: listInTransaction(
    ({ workspaceId, deliveryId }): Work<DeliveryRecord | null> => readDelivery(workspaceId, deliveryId),
  ),
}

interface Checked {
  /** Whether what the index does not know of one of the positions is as the search wants it. */
  readonly matches: (position: DeliveryPosition) => boolean
  /** Length of the bodies that were read for it. */
  readonly characters: number
}

function* check(search: SearchCall, positions: readonly DeliveryPosition[]): Work<Checked> {
  if (!needsFacts(search) || positions.length === 0) return { matches: () => true, characters: 0 }
  const [plain, bodies] =
    search.statusCodes === null
      ? [searchSql.facts, searchSql.factsAndBodies]
      : [searchSql.factsAndCodes, searchSql.factsCodesAndBodies]
  const statement = search.text === null ? plain : bodies
  const known = yield* rows<DeliveryFacts>(statement, positionValues(positions))
  const matching = new Set(known.filter((one) => isFound(one, search)).map(({ id }) => id))
  const characters = known.reduce((sum, { body }) => sum + (body?.length ?? 0), 0)
  return { matches: ({ id }) => matching.has(id), characters }
}

/** @returns whatever may be pending of some webhooks, in no order; `null`: it is too much */
function* pendingOf(
  webhooks: readonly SearchedWebhook[],
  maxLooked: number,
): Work<readonly DeliveryPosition[] | null> {
  const asked = webhooks.map(({ id }) => ({ webhook_id: id }))
  const most = maxLooked + 1
  const [leased, waiting] = yield* all(
    row<{ readonly count: number; readonly spread: number }>(searchSql.leasedCount),
    rowsOfEach<DeliveryPosition>(searchSql.waiting, asked, most, [most]),
  )
  const { count, spread } = leased!
  const found = waiting.flat()
  if (count + found.length > maxLooked || spread > MAX_SPREAD) return null
  const ids = numberList(webhooks.map(({ id }) => id))
  return [...(yield* rows<DeliveryPosition>(searchSql.leased, [ids])), ...found]
}

type Search = DeliveryFilter & { readonly before: DeliveryPosition | null }

/** What a search must know of a delivery beyond its place in the index. */
interface DeliveryFacts {
  readonly id: number
  readonly status: DeliveryStatus
  readonly canceledThrough: number | null
  readonly type: string
  /** How often it was tried. */
  readonly attempts: number
  /** The code of the latest attempt; `null`: no response came. */
  readonly latestCode?: number | null
  /** Of the event, where words are looked for. */
  readonly body?: string
}

/** The first position that is out of the search's range, seen from the newer side. */
function searchStart({ before, to }: Search): DeliveryPosition {
  const end = { createdAt: to ?? Number.MAX_SAFE_INTEGER, id: 0 }
  return before === null || isNewer(before, end) ? end : before
}

const UNHEALTHY: readonly Unhealthy[] = ['failed', 'dead', 'canceled', 'retrying']

/**
 * @param canceling whether rows of the webhook that are pending still may be shown as canceled
 * @returns what to walk, together, for the deliveries that a search wants
 */
function entriesFor(
  { status, statusCodes: codes }: Pick<DeliveryFilter, 'status' | 'statusCodes'>,
  canceling: boolean,
): readonly Entries[] {
  if (status === 'failed' || status === 'dead') return [status]
  if (status === 'canceled' && !canceling) return [status]
  if (codes === null) return ['all']
  // Deliveries without an attempt have no code, and a delivered one was delivered by the code of its latest attempt.
  if (status === 'canceled') return ['canceled', 'retrying']
  if (status === 'pending') return ['retrying']
  if (mayBeSuccess(codes)) return ['all']
  return status === 'delivered' ? [] : UNHEALTHY
}

/**
 * Whether to read all pending deliveries, if they are few, instead of a walk: deliveries without an attempt have no index by
 * time, and a walk would look at everything delivered since.
 */
function isForPending({ status, statusCodes, event }: Search): boolean {
  return status === 'pending' && statusCodes === null && event === null
}

/** @returns those within the range of a search, newest first */
function inRange(search: Search, positions: readonly DeliveryPosition[]): DeliveryPosition[] {
  const start = searchStart(search)
  const from = search.from ?? 0
  return positions
    .filter((position) => position.createdAt >= from && isNewer(start, position))
    .sort((a, b) => (isNewer(a, b) ? -1 : 1))
}

/** Whether a search must look at what the index does not know. */
function needsFacts({ status, eventTypes, text, statusCodes }: Search): boolean {
  return status !== null || eventTypes !== null || text !== null || statusCodes !== null
}

/** @param each characters that were read of each so far @param left of those that may be read */
function nextSize(size: number, each: number, left: number): number {
  return each === 0 ? size * 2 : Math.min(FIRST_BATCH, Math.ceil(left / each))
}

function firstBatch(search: SearchCall): number {
  if (search.text !== null) return FIRST_BODIES
  return needsFacts(search) ? FIRST_BATCH : search.limit
}

function isFound(facts: DeliveryFacts, { status, eventTypes, text, statusCodes }: Search): boolean {
  if (eventTypes !== null && !eventTypes.includes(facts.type)) return false
  if (status !== null && status !== (isBeingCanceled(facts) ? 'canceled' : facts.status)) return false
  if (statusCodes !== null && (facts.attempts === 0 || !isAmong(statusCodes, facts.latestCode ?? null)))
    return false
  if (text === null) return true
  const words = wordsIn(facts.body!, pathsOf(text.members))
  return text.words.every((word) => words.has(word))
}
