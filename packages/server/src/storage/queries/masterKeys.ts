import { KEY_ID_BYTES, WITH_KEY_ID } from '../../core/masterKeys.ts'
import type { SealedCount, StoredSecret } from '../storage.ts'
import { lookup, type Queries, write, writeStatement } from './query.ts'
import { either, type Fragment, SKIP_LOCKED, sql } from './sql.ts'
import { all, row, rows, run } from './work.ts'

/** The schema version from which programs know the id of a key. */
const KEY_IDS_SINCE = 12

const VERSION = `0${WITH_KEY_ID}`
/** @param column something sealed */
const keyIdIn = (column: string): Fragment => ({
  sqlite: `CASE WHEN substr(${column}, 1, 1) = x'${VERSION}' THEN lower(hex(substr(${column}, 2, ${KEY_ID_BYTES}))) END`,
  postgres: `CASE WHEN substr(${column}, 1, 1) = '\\x${VERSION}'::bytea THEN encode(substr(${column}, 2, ${KEY_ID_BYTES}), 'hex') END`,
})

export const masterKeySql = {
  readCheck: sql`SELECT key_check AS "check" FROM store`,
  keepCheck: sql`UPDATE store SET key_check = coalesce(key_check, $1)`,
  replaceCheck: sql`UPDATE store SET key_check = $1`,
  /** Programs check this when they open a store, and with each renewal of their lease. With SQLite, no older program opens a store. */
  requireKeyIds: either({
    sqlite: 'UPDATE migrations SET name = name WHERE FALSE',
    postgres: `
      UPDATE migrations SET works_from = ${KEY_IDS_SINCE} WHERE version = ${KEY_IDS_SINCE} AND works_from < ${KEY_IDS_SINCE}`,
  }),
  count: sql`
    SELECT key_id AS "keyId", count(*) AS count, max(id) AS "lastId"
    FROM (SELECT id, ${keyIdIn('sealed')} AS key_id FROM secrets WHERE id > $1 ORDER BY id LIMIT $2) part
    GROUP BY key_id`,
  countRepeats: sql`
    SELECT ${keyIdIn('memo')} AS "keyId", count(*) AS count FROM idempotency_keys WHERE memo_until > $1 GROUP BY 1`,
  countLinks: sql`
    SELECT ${keyIdIn('sealed')} AS "keyId", count(*) AS count FROM notifications
    WHERE sent_at IS NULL AND given_up_at IS NULL AND sealed IS NOT NULL AND expires_at > $1 GROUP BY 1`,
  keyIds: sql`SELECT DISTINCT ${keyIdIn('sealed')} AS "keyId" FROM secrets WHERE ${keyIdIn('sealed')} IS NOT NULL`,
  read: sql`
    SELECT s.id, s.sealed, w.public_id AS owner FROM secrets s JOIN webhooks w ON w.id = s.webhook_id
    WHERE s.id > $1 ORDER BY s.id LIMIT $2`,
  /** Waits for no lock, so no deadlock is possible. */
  reseal: sql`
    UPDATE secrets SET sealed = $3 WHERE id = (SELECT id FROM secrets WHERE id = $1 AND sealed = $2 ${SKIP_LOCKED})`,
}

interface Check {
  readonly check: Uint8Array | null
}

export const masterKeyQueries: Queries<
  | 'readKeyCheck'
  | 'keepKeyCheck'
  | 'replaceKeyCheck'
  | 'requireKeyIds'
  | 'countSealed'
  | 'countShortLived'
  | 'readSealed'
  | 'reseal'
> = {
  readKeyCheck: lookup(function* () {
    return (yield* row<Check>(masterKeySql.readCheck))!.check
  }),
  keepKeyCheck: write(function* ({ check }) {
    yield* run(masterKeySql.keepCheck, [check])
    return (yield* row<Check>(masterKeySql.readCheck))!.check!
  }),
  replaceKeyCheck: writeStatement(function* ({ check }) {
    yield* run(masterKeySql.replaceCheck, [check])
  }),
  requireKeyIds: writeStatement(function* () {
    yield* run(masterKeySql.requireKeyIds)
  }),
  countSealed: lookup(function* ({ afterId, limit }) {
    const found = yield* rows<SealedCount & { readonly lastId: number }>(masterKeySql.count, [afterId, limit])
    const looked = found.reduce((sum, { count }) => sum + count, 0)
    const nextAfterId = looked < limit ? 0 : Math.max(...found.map(({ lastId }) => lastId))
    return { counts: found.map(({ keyId, count }) => ({ keyId, count })), nextAfterId }
  }),
  countShortLived: lookup(function* ({ now }) {
    const [repeats, links] = yield* all(
      rows<SealedCount>(masterKeySql.countRepeats, [now]),
      rows<SealedCount>(masterKeySql.countLinks, [now]),
    )
    return [...repeats, ...links]
  }),
  readSealed: lookup(function* ({ afterId, limit }) {
    const secrets = yield* rows<StoredSecret>(masterKeySql.read, [afterId, limit])
    return { secrets, nextAfterId: secrets.length < limit ? 0 : secrets.at(-1)!.id }
  }),
  reseal: write(function* ({ secrets }) {
    if (secrets.length === 0) return 0
    const changes = yield* all(...secrets.map(({ id, from, to }) => run(masterKeySql.reseal, [id, from, to])))
    return changes.reduce((sum, changed) => sum + changed, 0)
  }),
}
