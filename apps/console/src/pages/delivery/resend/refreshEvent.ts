import type { QueryClient } from '@tanstack/react-query'

/** Reads pages of events again, whose deliveries changed. */
export function refreshEvent(queryClient: QueryClient, ws: string): void {
  void queryClient.invalidateQueries({ queryKey: ['event', ws] })
  void queryClient.invalidateQueries({ queryKey: ['event deliveries', ws] })
}
