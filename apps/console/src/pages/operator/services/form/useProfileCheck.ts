import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { isProblem } from '../../../../api/problem.ts'
import { type ExampleRequest, profileCheckQuery, type ServiceCheck } from '../../../../api/services.ts'
import { type PlacedRemark, placed, type Remark, syntaxMistake } from '../../../../model/profile/places.ts'

const REST_MS = 400

export interface ProfileCheck {
  /** Places are those in the text as it is now. */
  readonly remarks: readonly PlacedRemark[]
  readonly errors: number
  readonly warnings: number
  /** Of the last text that was found right; `null`: there was none. */
  readonly request: ExampleRequest | null
  /** Whether the remarks may be about an older text. */
  readonly checking: boolean
  /** Why it could not be checked; `null`: it was. */
  readonly failure: Error | null
}

/**
 * Checks a profile while it is typed: what is no JSON at once, the rest by the service once typing rests. A newer text ends the
 * request of an older one.
 * @param known errors that the service need not be asked about
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

/** What the service said is wrong with a profile that it refused. */
export const refusedMembers = (error: unknown): readonly Remark[] =>
  isProblem(error) ? error.mistakes.map((one) => ({ ...one, kind: 'error' as const })) : []
