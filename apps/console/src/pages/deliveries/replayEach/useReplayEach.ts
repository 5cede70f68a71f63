import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { errorText } from '../../../api/problem.ts'
import type { Delivery } from '../../../model/delivery.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** Progress of a replay of several deliveries. */
export interface ReplayEachState {
  readonly total: number
  readonly replayed: readonly Delivery[]
  /** Number of rejected deliveries by reason. */
  readonly refusals: ReadonlyMap<string, number>
}

/** Replays deliveries one after the other, in one run at a time. A rejected one does not stop the others. */
export function useReplayEach(onReplayed: (deliveries: readonly Delivery[]) => void) {
  const { id: ws, service } = useWorkspace()
  const queryClient = useQueryClient()
  const [state, setState] = useState<ReplayEachState | null>(null)
  const stopped = useRef(false)
  /** Ignores a second click before the first is rendered. */
  const busy = useRef(false)
  // Leaving the page stops the run.
  useEffect(() => {
    stopped.current = false
    return () => {
      stopped.current = true
    }
  }, [])
  const mutation = useMutation({
    mutationFn: async (deliveries: readonly Delivery[]) => {
      const replayed: Delivery[] = []
      const refusals = new Map<string, number>()
      const show = () =>
        setState({ total: deliveries.length, replayed: [...replayed], refusals: new Map(refusals) })
      show()
      for (const { webhookId, id } of deliveries) {
        if (stopped.current) return
        try {
          const { delivery } = await service.resend({ webhookId, id })
          replayed.push(delivery)
          onReplayed([delivery])
        } catch (error) {
          const reason = errorText(error)
          refusals.set(reason, (refusals.get(reason) ?? 0) + 1)
        }
        show()
      }
      await queryClient.invalidateQueries({ queryKey: ['replayable', ws] })
    },
    onSettled: () => {
      busy.current = false
    },
  })
  const { mutate, isPending: running } = mutation
  const run = useCallback(
    (deliveries: readonly Delivery[]) => {
      if (busy.current) return
      busy.current = true
      mutate(deliveries)
    },
    [mutate],
  )
  const runOne = useCallback((delivery: Delivery) => run([delivery]), [run])
  return {
    run,
    /** `null` during a run. */
    runOne: running ? null : runOne,
    running,
    state,
    reset: () => setState(null),
  }
}
