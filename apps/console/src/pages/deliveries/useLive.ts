import { useDocumentVisibility } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { type LiveBatch, readLiveDeliveries } from '../../api/liveDeliveries.ts'
import { isProblem } from '../../api/problem.ts'
import type { DeliveryFilter } from '../../model/delivery.ts'
import { useWorkspace } from '../../workspace/workspace.tsx'

/** `polling`: the service offers no stream, so the list is read periodically. */
export type LiveState = 'connected' | 'connecting' | 'polling' | 'paused'

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 15_000
const POLL_EVERY_MS = 5_000
/** Number of polls before the stream is tried again. */
const POLLS_BEFORE_STREAM = 12

interface Params {
  readonly enabled: boolean
  readonly filter: DeliveryFilter
  readonly onBatch: (batch: LiveBatch) => void
  /** Reads the newest deliveries, like the first batch of a stream. */
  readonly readNewest: (signal: AbortSignal) => Promise<LiveBatch>
}

/**
 * Streams a workspace's deliveries while the page is visible. Background tabs close their stream, since browsers limit the
 * connections per site.
 */
export function useLive({ enabled, filter, onBatch, readNewest }: Params): LiveState {
  const { id: ws, service } = useWorkspace()
  const [state, setState] = useState<LiveState>('connecting')
  const seen = useDocumentVisibility() === 'visible'
  const latest = useRef({ filter, onBatch, readNewest })
  latest.current = { filter, onBatch, readNewest }
  const filterKey = JSON.stringify(filter)

  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter is another stream
  useEffect(() => {
    if (!enabled || !seen) return
    setState('connecting')
    const ended = new AbortController()
    const { signal } = ended
    const look = async () => {
      const batch = await latest.current.readNewest(signal)
      if (!signal.aborted) latest.current.onBatch(batch)
    }
    const stream = () =>
      readLiveDeliveries({
        ...{ ws, service, signal },
        filter: latest.current.filter,
        onOpen: () => setState('connected'),
        onBatch: (batch) => latest.current.onBatch(batch),
      })
    const poll = async () => {
      setState('polling')
      for (let polls = 0; polls < POLLS_BEFORE_STREAM && !signal.aborted; polls++) {
        await look().catch(() => undefined)
        await waited(POLL_EVERY_MS, signal)
      }
    }
    void follow({ stream, poll, signal, onLost: () => setState('connecting') })
    return () => ended.abort()
  }, [ws, service, enabled, seen, filterKey])

  return enabled ? state : 'paused'
}

/** Streams, reconnects after errors, and polls if streams are rejected. */
async function follow(params: {
  readonly stream: () => Promise<void>
  readonly poll: () => Promise<void>
  readonly signal: AbortSignal
  readonly onLost: () => void
}): Promise<void> {
  const { stream, poll, signal, onLost } = params
  let waitMs = FIRST_WAIT_MS
  while (!signal.aborted) {
    const startedAt = Date.now()
    const error = await stream().then(
      () => null,
      (cause: unknown) => cause,
    )
    if (signal.aborted) return
    onLost()
    if (isRefusal(error)) {
      await poll()
      continue
    }
    // Reconnects soon after a long-lived stream, with backoff otherwise.
    if (Date.now() - startedAt > LONGEST_WAIT_MS) waitMs = FIRST_WAIT_MS
    await waited(waitMs * (0.5 + Math.random()), signal)
    waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2)
  }
}

/** Whether the service rejected the stream, for example because of the limit on streams. */
const isRefusal = (error: unknown) =>
  isProblem(error) && error.status !== 401 && (error.status < 500 || error.code === 'streams_taken')

const waited = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
