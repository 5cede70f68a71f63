import { type TSchema, Type } from 'typebox'
import { MINUTE_MS } from '../../../core/duration.ts'
import { FORMS } from '../../../core/textForms.ts'
import type { ServedProfile } from '../../../profiles/compile.ts'
import type { Consumer, Workspace } from '../../../storage/rows.ts'
import type { ConsumerLag, ConsumerStart, EventPosition } from '../../../storage/storage.ts'
import { gapOf } from '../../shared/consumers/reading.ts'
import type { ServiceContext } from '../../shared/context.ts'
import { eventTypeErrors } from '../../shared/eventTypes.ts'
import { positionOf } from '../../shared/feed.ts'
import { invalidRequest } from '../../shared/problems.ts'
import { closed, eventTypeName, instant, nullable, oneOf, pathId, time } from '../../shared/schemas.ts'
import { isoTime, isoTimeOrNull, parseTime } from '../../shared/time.ts'
import { asIs, spellingOf } from '../case.ts'
import { eventViewOf } from '../event.ts'
import { nullWithoutScope } from '../texts.ts'
import { serviceTitle } from '../words.ts'

export const consumerParams = { name: pathId('Name of the consumer.') }

const MOST_TYPES = 50
/** Of each consumer, events that a lag counts: of one alone, and in a list. */
export const LAG_OF_ONE = 10_000
export const LAG_IN_LIST = 1_000
/** Clocks of nodes differ by less, so a time is looked for from so long before on. */
const CLOCKS_DIFFER_MS = MINUTE_MS
/** Steps of 5,000 events in which a time is looked for. */
const MOST_STEPS = 20

export const gapSchema = Type.Unsafe<{ events: number; noticed_at: string } | null>({
  type: ['object', 'null'],
  description:
    'Events that were removed at the end of the retention before they were acknowledged; null: none. The next acknowledgement includes it.',
  additionalProperties: false,
  required: ['events', 'noticed_at'],
  properties: {
    events: Type.Integer({ description: 'Number of removed events, at least.' }),
    noticed_at: time('When the last of them were removed.'),
  },
})

/** The gap as it is shown. */
export function gapJson(consumer: Consumer) {
  const events = gapOf(consumer)
  return events === 0 ? null : { events, noticed_at: isoTime(consumer.lostAt!) }
}

const MEMBERS = {
  name: Type.String({ description: 'Identifies it in paths.' }),
  event_types: Type.Unsafe<readonly string[] | null>({
    type: ['array', 'null'],
    items: eventTypeName,
    description: 'The event types that it returns. Null: all.',
  }),
  created_at: time('When it was created.'),
  acknowledged_at: nullable(time('When events were last acknowledged; null: never.')),
  moved_at: nullable(time('When a seek last moved it; null: never.')),
  gap: gapSchema,
}

const lagSchema = closed({
  events: Type.Integer({ description: 'Number of events of its types that are not acknowledged.' }),
  has_more: Type.Boolean({
    description: 'Whether there can be more than the counted ones.',
  }),
  oldest_at: nullable(time('When the oldest of them was accepted. Null: there are none.')),
})

/** A consumer, in answers to those who change it. */
export const consumerSchema = closed(MEMBERS, { title: 'Consumer' })
/** A consumer, with what it has yet to acknowledge. */
export const consumerStateSchema = closed({ ...MEMBERS, lag: lagSchema }, { title: 'ConsumerState' })

export const consumerJson = (consumer: Consumer) => ({
  name: consumer.name,
  event_types: consumer.eventTypes,
  created_at: isoTime(consumer.createdAt),
  acknowledged_at: isoTimeOrNull(consumer.acknowledgedAt),
  moved_at: isoTimeOrNull(consumer.movedAt),
  gap: gapJson(consumer),
})

export const consumerStateJson = (consumer: Consumer, { events, more, oldestAt }: ConsumerLag) => ({
  ...consumerJson(consumer),
  lag: { events, has_more: more, oldest_at: isoTimeOrNull(oldestAt) },
})

/** An event as consumers get it. */
export function consumedSchema(service: ServedProfile) {
  const { profile } = service
  const body = eventViewOf(service).bodySchema()
  const type = profile.access.contents === null ? {} : { type: ['object', 'null'] }
  return closed(
    {
      id: Type.String({ description: 'Id of the event.' }),
      type: eventTypeName,
      accepted_at: time('When it was accepted.'),
      ack: Type.String({ description: 'Send it to acknowledge this event and all before it.' }),
      body: asIs(
        Type.Unsafe<unknown>({
          ...(body as object),
          ...type,
          title: `${serviceTitle(profile)}ConsumedBody`,
          description: ['The body that a webhook would receive.', ...nullWithoutScope(profile)].join(' '),
        }),
      ) as TSchema,
    },
    { title: 'ConsumedEvent' },
  )
}

export const consumerNameSchema = Type.String({
  description: 'Name of the consumer. It must be unique in the workspace, and cannot be changed.',
  pattern: FORMS.consumerName.pattern,
  examples: ['crm-sync'],
})

export const eventTypesSchema = Type.Array(eventTypeName, {
  minItems: 1,
  maxItems: MOST_TYPES,
  uniqueItems: true,
  description: 'Only events of these types. Default: all.',
})

const STARTS = ['now', 'oldest'] as const

/** Where a consumer begins to read. */
export interface StartInput {
  readonly start?: (typeof STARTS)[number]
  readonly after?: string
  readonly since?: string
}

export const startMembers = {
  start: Type.Optional(
    oneOf(
      STARTS,
      '`now`: start with events that are accepted from now on, and possibly some of the last moments. `oldest`: start with the oldest stored event.',
    ),
  ),
  after: Type.Optional(
    Type.String({
      pattern: FORMS.feedPosition.pattern,
      description: 'Start after this: the id of an event, or a cursor of the feed of events.',
    }),
  ),
  since: Type.Optional(
    instant('Start with the first event that was accepted at this time or later.', '2026-03-14T00:00:00Z'),
  ),
}

/** @returns the types, unless one is unknown @throws Problem */
export function readEventTypes(
  ctx: ServiceContext,
  types: readonly string[] | undefined,
): readonly string[] | null {
  if (types === undefined) return null
  const errors = eventTypeErrors(ctx.dialect.catalog, types, `/${ctx.member('event_types')}`)
  if (errors.length > 0) throw invalidRequest(errors)
  return types
}

/**
 * Finds the place that a caller means.
 * @param otherwise where nothing is said; `null`: something must be
 * @throws Problem
 */
export async function readStart(
  ctx: ServiceContext,
  workspace: Workspace,
  { start, after, since }: StartInput,
  otherwise: ConsumerStart | null,
): Promise<ConsumerStart> {
  const given = Object.entries({ start, after, since }).filter(([, value]) => value !== undefined)
  if (given.length > 1) {
    const message = 'cannot be combined with the others; use only one of start, after and since'
    throw invalidRequest([{ pointer: `/${given[1]![0]}`, message }])
  }
  if (after !== undefined) return positionOf(ctx, workspace, after, 'request body')
  if (since !== undefined) return placeSince(ctx, workspace, since)
  if (start !== undefined) return start === 'now' ? 'now' : OLDEST
  if (otherwise !== null) return otherwise
  const message = 'is missing; use one of start, after and since, such as {"start": "oldest"}'
  throw invalidRequest([{ pointer: '/start', message }])
}

/** Before every event. */
const OLDEST: EventPosition = [0, 0]

async function placeSince(
  ctx: ServiceContext,
  { id: workspaceId }: Workspace,
  since: string,
): Promise<EventPosition> {
  const time = parseTime(since)!
  if (time > ctx.clock.now()) {
    const message = 'is in the future; use {"start": "now"} for events from now on'
    throw invalidRequest([{ pointer: '/since', message }])
  }
  let place = await placeOfTime(ctx, workspaceId, time - CLOCKS_DIFFER_MS)
  // Beyond so many steps it begins a little early, which loses nothing.
  for (let step = 0; step < MOST_STEPS; step++) {
    const found = await ctx.storage.consumers.placeBefore({ workspaceId, after: place, time })
    place = found.place
    if (found.done) break
  }
  return place
}

/** The place of the newest event before a time, as times of events go. */
async function placeOfTime(
  { storage }: ServiceContext,
  workspaceId: number,
  to: number,
): Promise<EventPosition> {
  const newest = { eventTypes: null, text: null, event: null, from: null, to, limit: 1 }
  let page = await storage.log.searchEvents({ workspaceId, ...newest, before: null })
  for (let step = 0; step < MOST_STEPS && page.events.length === 0 && page.next !== null; step++)
    page = await storage.log.searchEvents({ workspaceId, ...newest, before: page.next })
  const [event] = page.events
  if (event === undefined) return OLDEST
  const found = await storage.log.getEvent({ workspaceId, broughtId: null, rowId: event.id })
  return found?.position ?? OLDEST
}

/** Writes an event in the spelling of the service. */
export function consumedWriter(service: ServedProfile): (value: object) => object {
  const write = spellingOf(service.profile.case).writer(consumedSchema(service))
  return (value) => write(value) as object
}
