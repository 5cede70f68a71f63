import type { PublishResult } from '../../storage.ts'
import type { News } from './newEvents.ts'
import type { Stored, ToStore } from './publishRows.ts'
import type { Recognition } from './repeats.ts'

/** What each batch of each call is told. */
export type Results = readonly (readonly PublishResult[])[]

/** @param stored `null`: nothing was new */
export function answers(
  { recognitions }: News,
  stored: (Pick<ToStore, 'lease' | 'wanted'> & Stored) | null,
): Results {
  const results = recognitions.map((batches) => batches.map(emptyAnswer))
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

function emptyAnswer(known: Recognition) {
  if (known.conflict !== null) return { outcome: 'id_conflict' as const, event: known.conflict }
  const [leased, unleased]: [Leased[], Set<number>] = [[], new Set()]
  return { outcome: 'accepted' as const, repeats: known.repeats, deliveries: 0, leased, unleased }
}
