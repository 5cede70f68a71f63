import { queryOptions } from '@tanstack/react-query'
import type { CodeLanguage } from '../shared/codeLanguage.ts'
import { ProblemError } from './problem.ts'
import { send } from './send.ts'

interface Described {
  readonly id: string
  readonly name: string
  readonly colors: CodeLanguage
}

/** A complete receiver that runs without changes. */
interface Program extends Described {
  readonly why: null
  /** Sentences with code in backticks. */
  readonly needs: string
  readonly checks: string
  readonly frameworks: string | null
  /** Commands that set up a directory. */
  readonly setup: readonly string[]
  readonly file: string
  readonly code: string
  readonly run: string
}

/** A program, or the reason why there is none in a language. */
export type ReceiverProgram = Program | (Described & { readonly why: string })

/** Public programs that verify the requests of a service. */
export const receiversQuery = (service: string) =>
  queryOptions({
    queryKey: ['receivers', service],
    staleTime: 300_000,
    queryFn: async ({ signal }): Promise<readonly ReceiverProgram[]> => {
      const url = new URL(`/receive/${service}.json`, window.location.origin)
      const response = await send(new Request(url, { signal }))
      const body: unknown = await response.json()
      if (!response.ok) throw new ProblemError(response, body)
      return (body as { readonly programs: readonly ReceiverProgram[] }).programs
    },
  })
