import { hasEffect, isRemembered } from '../effects.ts'
import { type OnceRow, onceValues, repeated } from '../rowMappers/idempotencyKeys.ts'
import type { Once } from '../storage.ts'
import { addAudit } from './audit.ts'
import { type Queries, write } from './query.ts'
import { sql } from './sql.ts'
import { act, all, nothing, row, run, type Work } from './work.ts'

const idempotencySql = {
  find: sql`
    SELECT fingerprint, verb, result, memo, memo_until FROM idempotency_keys
    WHERE scope = $1 AND key = $2 AND created_at >= $3`,
  /** A row in the way is older than what is still known. */
  remember: sql`
    INSERT INTO idempotency_keys (scope, key, fingerprint, verb, result, memo, memo_until, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (scope, key) DO UPDATE SET fingerprint = excluded.fingerprint, verb = excluded.verb,
      result = excluded.result, memo = excluded.memo, memo_until = excluded.memo_until,
      created_at = excluded.created_at`,
}

export const changeQueries: Queries<'change'> = {
  change: write(function* ({ verb, params, audit, once, now }) {
    const known = once === null ? undefined : yield* find(once)
    if (known !== undefined) return repeated(known, once!, verb, now)
    const result = yield* act('carryOut', verb, params)
    yield* all(
      audit !== null && hasEffect(verb, result) ? addAudit(audit, now) : nothing(),
      once !== null && isRemembered(verb, result)
        ? run(idempotencySql.remember, onceValues(once, verb, result, now))
        : nothing(),
    )
    return { result, repeated: false, memo: once?.memo ?? null }
  }),
}

/** The call that was made before under the key. One that is under way is waited for. */
function* find({ scope, key, since }: Once): Work<OnceRow | undefined> {
  const [, known] = yield* all(
    act('useIdempotencyKey', scope, key),
    row<OnceRow>(idempotencySql.find, [scope, key, since]),
  )
  return known
}
