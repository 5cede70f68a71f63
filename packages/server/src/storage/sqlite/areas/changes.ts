import { hasEffect, isRemembered, toRemember } from '../../effects.ts'
import { resultFromText, resultToText } from '../../resultText.ts'
import {
  type ChangeParams,
  type ChangeResult,
  type ChangeVerb,
  IdempotencyKeyReusedError,
  type Once,
} from '../../storage.ts'
import type { Connection } from '../connection.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { auditor } from './audit.ts'

const sql = {
  find: `
    SELECT fingerprint, verb, result, memo FROM idempotency_keys
    WHERE scope = ? AND key = ? AND created_at >= ?`,
  /** A row in the way is older than what is still known. */
  remember: `
    INSERT OR REPLACE INTO idempotency_keys (scope, key, fingerprint, verb, result, memo, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
}

interface Row {
  readonly fingerprint: Uint8Array
  readonly verb: string
  readonly result: string
  readonly memo: Uint8Array | null
}

type ChangeTable = Pick<VerbTable, ChangeVerb>

/** @param verbs what {@link VerbTable.change} may carry out */
export function changeVerbs({ db }: Store, verbs: ChangeTable): Pick<VerbTable, 'change'> {
  const keys = rememberedKeys(db)
  const audits = auditor(db)
  return {
    change({ verb, params, audit, once, now }) {
      const known = once === null ? undefined : keys.find(once, verb)
      if (known !== undefined) {
        const result = resultFromText(known.result) as ChangeResult<ChangeVerb>
        return { result, repeated: true, memo: known.memo }
      }
      const carryOut = verbs[verb] as (params: ChangeParams<ChangeVerb>) => ChangeResult<ChangeVerb>
      const result = carryOut(params)
      if (audit !== null && hasEffect(verb, result)) audits.add(audit, now)
      if (once !== null && isRemembered(verb, result))
        keys.remember(once, verb, toRemember(verb, result), now)
      return { result, repeated: false, memo: once?.memo ?? null }
    },
  }
}

function rememberedKeys(db: Connection) {
  const find = db.prepare<[string, string, number], Row>(sql.find)
  const remember = db.prepare<unknown[]>(sql.remember)
  return {
    /** @throws IdempotencyKeyReusedError before anything was written */
    find({ scope, key, fingerprint, since }: Once, verb: ChangeVerb): Row | undefined {
      const known = find.get(scope, key, since)
      if (
        known !== undefined &&
        (known.verb !== verb || Buffer.compare(known.fingerprint, fingerprint) !== 0)
      )
        throw new IdempotencyKeyReusedError('the key was used for another request')
      return known
    },
    remember({ scope, key, fingerprint, memo }: Once, verb: ChangeVerb, result: unknown, now: number): void {
      remember.run(scope, key, fingerprint, verb, resultToText(result), memo, now)
    },
  }
}
