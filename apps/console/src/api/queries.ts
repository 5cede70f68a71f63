import { QueryClient } from '@tanstack/react-query'
import { OfflineError, ProblemError } from './problem.ts'

/** Reads are retried after network and server errors, but not after a rejection. */
const worthRetrying = (error: unknown) =>
  error instanceof OfflineError || (error instanceof ProblemError && error.status >= 500)

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && worthRetrying(error),
      refetchOnWindowFocus: true,
    },
    // Changes are never retried automatically: the user must see the result first.
    mutations: { retry: false },
  },
})
