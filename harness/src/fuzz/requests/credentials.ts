import type { Knowledge } from '../knowledge.ts'
import { type Account, isSameTenant } from '../pool.ts'
import type { Described } from '../router.ts'
import type { Plan } from './plan.ts'

/** The account that makes a request. @throws Error when no account has credentials for the document */
export function accountFor(
  { preferLasting, account }: Plan,
  { document }: Described,
  { accounts }: Knowledge,
): Account {
  const own = accounts.filter((one) => one.document === document.name && one.keys.length > 0)
  const lasting = own.filter((one) => one.lasting)
  const candidates = preferLasting && lasting.length > 0 ? lasting : own
  const chosen = candidates[account % candidates.length]
  if (chosen === undefined) throw new Error(`no account may use the operations of ${document.name}`)
  return chosen
}

interface CredentialsFound {
  /** The header's value; `null`: none. */
  readonly authorization: string | null
  /** The bearer token in it, if it should be valid. */
  readonly key: string | null
  /** Its owner; `null`: none, or the token is no longer valid. */
  readonly caller: Account | null
}

export function credentialsFor(
  { credentials, key: pick }: Plan,
  account: Account,
  { accounts }: Knowledge,
): CredentialsFound {
  switch (credentials.kind) {
    case 'own':
      return good(account, pick)
    case 'of another account': {
      const others = accounts.filter((one) => one.keys.length > 0 && !isSameTenant(one, account))
      return good(others[pick % Math.max(others.length, 1)] ?? account, pick)
    }
    case 'spent': {
      const { spentKeys } = account
      const spent = spentKeys[pick % Math.max(spentKeys.length, 1)]
      return { authorization: spent === undefined ? null : `Bearer ${spent}`, key: null, caller: null }
    }
    case 'odd':
      return { authorization: credentials.value, key: null, caller: null }
    case 'none':
      return { authorization: null, key: null, caller: null }
  }
}

function good(caller: Account, pick: number): CredentialsFound {
  // The first key usually has the most rights.
  const key = caller.keys[pick % 8 < 6 ? 0 : pick % caller.keys.length]!
  return { authorization: `Bearer ${key}`, key, caller }
}
