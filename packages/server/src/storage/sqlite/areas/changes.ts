import { hasEffect, isRemembered } from '../../effects.ts'
import { type OnceRow, onceValues, repeated } from '../../records/idempotencyKeys.ts'
import type { ChangeParams, ChangeResult, ChangeVerb } from '../../storage.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { auditor } from './audit.ts'

const sql = {
  find: `
    SELECT fingerprint, verb, result, memo, memo_until FROM idempotency_keys
    WHERE scope = ? AND key = ? AND created_at >= ?`,
  /** A row in the way is older than what is still known. */
  remember: `
    INSERT OR REPLACE INTO idempotency_keys (scope, key, fingerprint, verb, result, memo, memo_until, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
}

type ChangeTable = Pick<VerbTable, ChangeVerb>

/** @param verbs what {@link VerbTable.change} may carry out */
export function changeVerbs({ db }: Store, verbs: ChangeTable): Pick<VerbTable, 'change'> {
  const find = db.prepare<[string, string, number], OnceRow>(sql.find)
  const remember = db.prepare<unknown[]>(sql.remember)
  const audits = auditor(db)
  return {
    change({ verb, params, audit, once, now }) {
      const known = once === null ? undefined : find.get(once.scope, once.key, once.since)
      if (known !== undefined) return repeated(known, once!, verb, now)
      const carryOut = verbs[verb] as (params: ChangeParams<ChangeVerb>) => ChangeResult<ChangeVerb>
      const result = carryOut(params)
      if (audit !== null && hasEffect(verb, result)) audits.add(audit, now)
      if (once !== null && isRemembered(verb, result)) remember.run(...onceValues(once, verb, result, now))
      return { result, repeated: false, memo: once?.memo ?? null }
    },
  }
}
