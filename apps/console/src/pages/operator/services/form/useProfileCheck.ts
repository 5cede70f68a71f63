import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { isProblem } from '../../../../api/problem.ts'
import { type ExampleRequest, profileCheckQuery, type ServiceCheck } from '../../../../api/services.ts'
import { type PlacedRemark, placed, type Remark, syntaxMistake } from '../../../../model/profile/places.ts'

const REST_MS = 400

export interface ProfileCheck {
  /** Located in the current text. */
  readonly remarks: readonly PlacedRemark[]
  readonly errors: number
  readonly warnings: number
  /** Example request of the last valid text; `null`: none. */
  readonly request: ExampleRequest | null
  /** Whether the remarks may be outdated. */
  readonly checking: boolean
  /** Why the check failed; `null`: it succeeded. */
  readonly failure: Error | null
}

/**
 * Checks a profile while it is typed: JSON syntax immediately, the rest by the service after a pause.
 * @param known errors found without the service
 */
export function useProfileCheck(text: string, known: readonly Remark[]): ProfileCheck {
  const [rested] = useDebouncedValue(text, REST_MS)
  const syntax = useMemo(() => syntaxMistake(text), [text])
  const isJson = useMemo(() => syntaxMistake(rested) === null, [rested])
  const read = useQuery({ ...profileCheckQuery(rested), enabled: isJson, placeholderData: keepPreviousData })
  const { data, error } = read
  const remarks = useMemo(
    () => (syntax !== null ? [syntax] : placed(text, [...known, ...remarksOf(data, error)])),
    [syntax, text, known, data, error],
  )
  const errors = remarks.filter(({ kind }) => kind === 'error').length
  return {
    remarks,
    ...{ errors, warnings: remarks.length - errors },
    request: data?.request ?? null,
    checking: syntax === null && (text !== rested || read.isFetching),
    failure: syntax === null && refusedMembers(error).length === 0 ? error : null,
  }
}

function remarksOf(check: ServiceCheck | undefined, error: Error | null): readonly Remark[] {
  if (check === undefined) return refusedMembers(error)
  const { errors, warnings } = check
  return [
    ...errors.map((one) => ({ ...one, kind: 'error' as const })),
    ...warnings.map((one) => ({ ...one, kind: 'warning' as const })),
  ]
}

/** Errors in a rejected profile. */
export const refusedMembers = (error: unknown): readonly Remark[] =>
  isProblem(error) ? error.mistakes.map((one) => ({ ...one, kind: 'error' as const })) : []
