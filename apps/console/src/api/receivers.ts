import { queryOptions } from '@tanstack/react-query'
import type { CodeLanguage } from '../shared/codeLanguage.ts'
import { ProblemError } from './problem.ts'
import { send } from './send.ts'

interface Described {
  readonly id: string
  readonly name: string
  readonly colors: CodeLanguage
}

/** A whole receiver that runs as it stands. */
interface Program extends Described {
  readonly why: null
  /** Sentences with code between backticks. */
  readonly needs: string
  readonly checks: string
  readonly frameworks: string | null
  /** Commands that prepare a directory. */
  readonly setup: readonly string[]
  readonly file: string
  readonly code: string
  readonly run: string
}

/** Or why there is none in a language. */
export type ReceiverProgram = Program | (Described & { readonly why: string })

/** Programs that verify the requests of a service, which publishes them for everybody. */
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
