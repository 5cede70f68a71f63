import type { Trigger } from '../../../core/delivery.ts'
import type { Connection } from '../connection.ts'

export const runSql = {
  start: `
    UPDATE deliveries SET status = 'pending', trigger = ?, run_start = attempts, next_attempt_at = ?,
      finished_at = NULL, cancel_reason = NULL
    WHERE id = ?`,
}

/** @returns a function that begins a new run of attempts of a finished delivery that nobody holds, due now. */
export function runStarter(db: Connection) {
  const start = db.prepare<[string, number, number]>(runSql.start)
  return (deliveryId: number, trigger: Extract<Trigger, 'redeliver' | 'replay'>, now: number): void => {
    start.run(trigger, now, deliveryId)
  }
}
