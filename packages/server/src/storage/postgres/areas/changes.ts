import { hasEffect, isRemembered } from '../../effects.ts'
import { type OnceRow, onceValues, repeated } from '../../records/idempotencyKeys.ts'
import type { ChangeVerb, Once } from '../../storage.ts'
import type { Store } from '../store.ts'
import type { Tx } from '../transaction.ts'
import { type Verb, type VerbTable, writes } from '../verb.ts'
import { addAudit } from './audit.ts'

const sql = {
  find: `
    SELECT fingerprint, verb, result, memo, memo_until FROM idempotency_keys
    WHERE scope = $1 AND key = $2 AND created_at >= $3`,
  /** A row in the way is older than what is still known. */
  remember: `
    INSERT INTO idempotency_keys (scope, key, fingerprint, verb, result, memo, memo_until, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (scope, key) DO UPDATE SET fingerprint = excluded.fingerprint, verb = excluded.verb,
      result = excluded.result, memo = excluded.memo, memo_until = excluded.memo_until, created_at = excluded.created_at`,
}

type ChangeTable = Pick<VerbTable, ChangeVerb>

/** @param verbs what {@link VerbTable.change} may carry out */
export function changeVerbs({ locks }: Store, verbs: ChangeTable): Pick<VerbTable, 'change'> {
  const verbOf = (verb: ChangeVerb) => verbs[verb] as Verb<ChangeVerb>

  /** The call that was made before under the key. One that is under way is waited for. */
  async function find(tx: Tx, { scope, key, since }: Once): Promise<OnceRow | undefined> {
    const [, known] = await Promise.all([
      locks.once(tx, scope, key),
      tx.row<OnceRow>(sql.find, [scope, key, since]),
    ])
    return known
  }

  return {
    change: {
      ...writes<'change'>(async (tx, { verb, params, audit, once, now }) => {
        const known = once === null ? undefined : await find(tx, once)
        if (known !== undefined) return repeated(known, once!, verb, now)
        const result = await verbOf(verb).run(tx, params)
        await Promise.all([
          audit !== null && hasEffect(verb, result) ? addAudit(tx, audit, now) : null,
          once !== null && isRemembered(verb, result)
            ? tx.run(sql.remember, onceValues(once, verb, result, now))
            : null,
        ])
        return { result, repeated: false, memo: once?.memo ?? null }
      }),
      prepare: async ({ verb, params }) => verbOf(verb).prepare?.(params),
    },
  }
}
