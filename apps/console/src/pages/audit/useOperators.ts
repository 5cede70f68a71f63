import { useQuery } from '@tanstack/react-query'
import { allOperatorsQuery, type Name } from '../../api/names.ts'
import { useSession } from '../../api/session.ts'

/** Operators by name and address, and which of them looks; others than operators know none of them. */
export function useOperators(): { readonly names: readonly Name[]; readonly ownId: string | null } {
  const { operator, email } = useSession()
  const { data = [] } = useQuery({ ...allOperatorsQuery, enabled: operator })
  return {
    names: data.map((one) => [one.id, `${one.name} (${one.email})`]),
    ownId: data.find((one) => one.email === email)?.id ?? null,
  }
}
