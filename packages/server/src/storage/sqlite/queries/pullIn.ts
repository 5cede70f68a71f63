import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { claimSql } from './claim.ts'

export const pullInSql = {
  pullIn: `
    UPDATE deliveries SET next_attempt_at = @now WHERE id IN (
      SELECT id FROM deliveries INDEXED BY deliveries_waiting
      WHERE status = 'pending' AND lease IS NULL AND webhook_id = @webhookId AND next_attempt_at > @latest
      LIMIT @limit)`,
}

interface Values {
  readonly webhookId: number
  readonly now: number
  readonly latest: number
  readonly limit: number
}

export function pullInVerbs({ db }: Store): Pick<VerbTable, 'pullInDue'> {
  const nextWaiting = db.prepare<[number], { webhook_id: number }>(claimSql.nextWaiting)
  const pullIn = db.prepare<Values>(pullInSql.pullIn)
  return {
    pullInDue({ now, latest, limit, afterWebhookId }) {
      let pulled = 0
      let position = afterWebhookId
      for (let looked = 0; looked < limit; looked++) {
        const next = nextWaiting.get(position)
        if (next === undefined) return { pulled, nextAfterWebhookId: 0 }
        pulled += pullIn.run({ webhookId: next.webhook_id, now, latest, limit: limit - pulled }).changes
        // This webhook may have more of them.
        if (pulled === limit) break
        position = next.webhook_id
      }
      return { pulled, nextAfterWebhookId: position }
    },
  }
}
