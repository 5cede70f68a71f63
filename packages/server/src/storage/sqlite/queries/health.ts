import { HealthInCall, type HealthRow } from '../../healthInCall.ts'
import type { Connection } from '../connection.ts'

const sql = {
  load: `
    SELECT workspace_id, status, deleted_at, failing_since, warned, canceled_through, canceled_at
    FROM webhooks WHERE id = ?`,
  save: 'UPDATE webhooks SET failing_since = ?, warned = ? WHERE id = ?',
  switchOff: `
    UPDATE webhooks SET status = 'off', off_reason = ?, failing_since = ?, warned = ?, version = version + 1,
      updated_at = ? WHERE id = ?`,
}

export function healthRows(db: Connection) {
  const load = db.prepare<[number], HealthRow>(sql.load)
  const save = db.prepare<[number | null, number, number]>(sql.save)
  const switchOff = db.prepare<unknown[]>(sql.switchOff)
  return {
    load: (webhookId: number) => new HealthInCall(webhookId, load.get(webhookId)),
    save({ webhookId, health, changed, off }: HealthInCall, now: number): void {
      if (!changed) return
      const warned = health.warned ? 1 : 0
      if (off === null) save.run(health.failingSince, warned, webhookId)
      else switchOff.run(off, health.failingSince, warned, now, webhookId)
    },
  }
}
