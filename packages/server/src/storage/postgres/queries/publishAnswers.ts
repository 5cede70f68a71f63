import type { Recognition } from '../../recognition.ts'
import type { PublishResult } from '../../storage.ts'
import { batchOf, type LateEvent, type News } from './newEvents.ts'
import type { Stored, ToStore } from './publishRows.ts'

/** What each batch of each call is told. */
export type Results = readonly (readonly PublishResult[])[]

/** What became of the new events of some calls. */
type Outcome = Pick<ToStore, 'lease' | 'wanted'> &
  Stored & {
    readonly late: readonly LateEvent[]
    /** What is waiting, by each batch that does not fit on top of it. */
    readonly refused: ReadonlyMap<string, number>
  }

/** @param stored `null`: nothing was new */
export function answers({ recognitions }: News, stored: Outcome | null): Results {
  const results = recognitions.map((batches, call) =>
    batches.map((known, batch) => emptyAnswer(known, stored?.refused.get(batchOf({ call, batch })))),
  )
  for (const { of, webhooks } of stored?.late ?? []) {
    const answer = results[of.call]![of.batch]!
    if (answer.outcome !== 'accepted') continue
    answer.deliveries += webhooks.length
    answer.late += webhooks.length
  }
  stored?.wanted.forEach(({ of, webhookId, webhookVersion, leased }, at) => {
    const answer = results[of.call]![of.batch]!
    if (answer.outcome !== 'accepted') return
    answer.deliveries++
    if (leased && stored.lives) {
      answer.leased.push({
        deliveryId: stored.ids![at]!,
        createdAt: of.event.createdAt,
        lease: stored.lease,
        webhookId,
        webhookVersion,
        event: of.position,
      })
    } else answer.unleased.add(webhookId)
  })
  return results.map((batches) =>
    batches.map((answer) =>
      answer.outcome === 'accepted' ? { ...answer, unleased: [...answer.unleased] } : answer,
    ),
  )
}

type Leased = Extract<PublishResult, { outcome: 'accepted' }>['leased'][number]

function emptyAnswer(known: Recognition, waiting: number | undefined) {
  if (known.conflict !== null) return { outcome: 'id_conflict' as const, event: known.conflict }
  if (waiting !== undefined) return { outcome: 'fanout_full' as const, waiting }
  const [leased, unleased]: [Leased[], Set<number>] = [[], new Set()]
  return { outcome: 'accepted' as const, repeats: known.repeats, deliveries: 0, late: 0, leased, unleased }
}
