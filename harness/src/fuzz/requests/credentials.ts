import type { Knowledge } from '../knowledge.ts'
import type { Account } from '../pool.ts'
import type { Described } from '../router.ts'
import type { Plan } from './plan.ts'

/** The account that a request is made for. @throws Error when no account has credentials for the document */
export function accountFor(
  { preferLasting, account }: Plan,
  { document }: Described,
  { accounts }: Knowledge,
): Account {
  const own = accounts.filter((one) => one.document === document.name && one.keys.length > 0)
  const lasting = own.filter((one) => one.lasting)
  const candidates = preferLasting && lasting.length > 0 ? lasting : own
  const chosen = candidates[account % candidates.length]
  if (chosen === undefined) throw new Error(`nobody may use the operations of ${document.name}`)
  return chosen
}

interface CredentialsFound {
  /** The header's value; `null`: none. */
  readonly authorization: string | null
  /** Whose they are; `null`: nobody's, or of no use any more. */
  readonly keyOwner: Account | null
}

export function credentialsFor(plan: Plan, account: Account, { accounts }: Knowledge): CredentialsFound {
  const { credentials, key } = plan
  const bearer = (keys: readonly string[]) => (keys.length === 0 ? null : `Bearer ${keys[key % keys.length]}`)
  switch (credentials.kind) {
    case 'own':
      return { authorization: bearer(account.keys), keyOwner: account }
    case 'of another account': {
      const others = accounts.filter((one) => one !== account && one.keys.length > 0)
      const other = others[key % Math.max(others.length, 1)] ?? account
      return { authorization: bearer(other.keys), keyOwner: other }
    }
    case 'spent':
      return { authorization: bearer(account.spentKeys), keyOwner: null }
    case 'odd':
      return { authorization: credentials.value, keyOwner: null }
    case 'none':
      return { authorization: null, keyOwner: null }
  }
}
