import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { EVENTS } from '../../support/events.ts'
import { onMessage, startOf, tell } from '../../support/programSide.ts'
import { oneOf, randomFrom, wholeNumber } from '../../support/random.ts'
import type { NewEvent } from '../../support/workspaces.ts'
import { type Answer, Caller, codeOf, cutOffAfterMs } from '../api/caller.ts'
import { WORDINGS } from '../api/wording.ts'
import type { Publish, PublishedEvent } from '../evidence.ts'
import type { FromPublisher, PublishedTo, PublisherReport, PublisherStart, ToPublisher } from './publisher.ts'

const TIMEOUT_MS = 3_000
const TRY_AGAIN_AFTER_MS = 60
const RARE_SHARE = 0.25
const PAUSE_MS = { single: { min: 10, max: 60 }, batch: { min: 50, max: 200 } }
const BATCH_EVENTS = { min: 2, max: 10 }

/** What makes a repeat safe. */
const SAFETIES = ['own ids', 'own ids', 'idempotency key', 'none'] as const
type Safety = (typeof SAFETIES)[number]

const { urls } = await startOf<PublisherStart>()
let random = Math.random
const caller = new Caller(() => oneOf(random, urls), TIMEOUT_MS)
let running: Promise<unknown> = Promise.resolve()
let finishing = false
let publishes: Publish[] = []
let failedTries = 0
let surprises: string[] = []

async function publishAgainAndAgain(workspace: PublishedTo, size: 'single' | 'batch'): Promise<void> {
  while (!finishing) {
    const count = size === 'single' ? 1 : wholeNumber(random, BATCH_EVENTS.min, BATCH_EVENTS.max)
    await publish(workspace, size, makeEvents(workspace, count), oneOf(random, SAFETIES))
    await sleep(wholeNumber(random, PAUSE_MS[size].min, PAUSE_MS[size].max))
  }
}

interface MadeEvent {
  readonly subject: string
  readonly event: Omit<NewEvent, 'id'>
  readonly ownId: string
}

function makeEvents({ dialect }: PublishedTo, count: number): MadeEvent[] {
  const kind = EVENTS[dialect]
  return Array.from({ length: count }, () => {
    const subject = kind.newSubject()
    const event = kind.make(random() < RARE_SHARE ? kind.rare : kind.common, subject)
    return { subject, event, ownId: kind.newId() }
  })
}

/** Ends with an acknowledgement, or after one try when nothing makes a repeat safe. */
async function publish(
  workspace: PublishedTo,
  size: 'single' | 'batch',
  made: readonly MadeEvent[],
  safety: Safety,
): Promise<void> {
  const wording = WORDINGS[workspace.dialect]
  const events = made.map(({ event, ownId }) =>
    wording.toEvent(safety === 'own ids' ? { ...event, id: ownId } : event),
  )
  const path = wording.publishPath(workspace.id)
  const call = {
    token: workspace.key,
    headers: safety === 'idempotency key' ? { 'idempotency-key': randomUUID() } : {},
    body: size === 'single' ? events[0] : { events },
  }
  const begin = Date.now()
  for (;;) {
    const hangUpAfterMs = cutOffAfterMs(random)
    const answer = await caller.ask('POST', size === 'single' ? path : `${path}/batch`, {
      ...call,
      hangUpAfterMs,
    })
    if (answer?.status === 202) return note(workspace, begin, made, idsIn(answer))
    if (answer !== null && !mayBeTriedAgain(answer)) {
      surprises.push(`a publish was answered ${answer.status} ${JSON.stringify(answer.body)}`)
      return note(workspace, begin, made, null)
    }
    failedTries += 1
    if (safety === 'none') return note(workspace, begin, made, null)
    await sleep(TRY_AGAIN_AFTER_MS)
  }
}

/** With its idempotency key, an earlier try may still be in progress at a node that fell silent. */
const mayBeTriedAgain = (answer: Answer) =>
  answer.status === 503 || codeOf(answer) === 'idempotency_key_in_use'

function idsIn({ body }: Answer): string[] {
  const { id, events } = body as {
    readonly id?: string
    readonly events?: readonly { readonly id: string }[]
  }
  return id === undefined ? (events ?? []).map((event) => event.id) : [id]
}

function note(
  { id }: PublishedTo,
  begin: number,
  made: readonly MadeEvent[],
  ids: readonly string[] | null,
): void {
  const events: PublishedEvent[] = made.map(({ subject, event }, i) => ({
    subject,
    type: event.type,
    id: ids?.[i] ?? null,
  }))
  publishes.push({ workspace: id, begin, acknowledgedAt: ids === null ? null : Date.now(), events })
}

function begin(workspaces: readonly PublishedTo[], seed: number): void {
  random = randomFrom(seed)
  finishing = false
  publishes = []
  failedTries = 0
  surprises = []
  running = Promise.all(
    workspaces.flatMap((workspace) => [
      publishAgainAndAgain(workspace, 'single'),
      publishAgainAndAgain(workspace, 'batch'),
    ]),
  )
}

async function finish(): Promise<PublisherReport> {
  finishing = true
  await running
  return { publishes, failedTries, surprises }
}

onMessage<ToPublisher>((message) => {
  if (message.kind === 'publish') {
    begin(message.workspaces, message.seed)
    tell({ kind: 'publishing' } satisfies FromPublisher)
  } else void finish().then((report) => tell({ kind: 'finished', ...report } satisfies FromPublisher))
})
