import { QueryClient } from '@tanstack/react-query'
import { OfflineError, ProblemError } from './problem.ts'

/** A read is tried again when that may help: not when the service has understood and refused it. */
const worthRetrying = (error: unknown) =>
  error instanceof OfflineError || (error instanceof ProblemError && error.status >= 500)

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && worthRetrying(error),
      refetchOnWindowFocus: true,
    },
    // Changes are never repeated by themselves: whoever asked must see what became of it.
    mutations: { retry: false },
  },
})
