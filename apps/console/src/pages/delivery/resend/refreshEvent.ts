import type { QueryClient } from '@tanstack/react-query'

/** Refreshes events after a change of their deliveries. */
export function refreshEvent(queryClient: QueryClient, ws: string): void {
  void queryClient.invalidateQueries({ queryKey: ['event', ws] })
  void queryClient.invalidateQueries({ queryKey: ['event deliveries', ws] })
}
