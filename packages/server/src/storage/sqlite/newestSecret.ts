import type { Sealed } from '../rows.ts'
import type { Connection } from './connection.ts'

const sql = {
  read: `
    SELECT s.sealed, w.public_id AS owner FROM secrets s JOIN webhooks w ON w.id = s.webhook_id
    ORDER BY s.id DESC LIMIT 1`,
}

/** @returns the newest signing secret, by which a master key can be tried; `null` when there is none */
export function readNewestSecret(db: Connection): Sealed | null {
  return db.prepare<[], Sealed>(sql.read).get() ?? null
}
