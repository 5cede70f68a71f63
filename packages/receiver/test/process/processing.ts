import { memoryStore, type ProcessOptions } from '../../src/dedupe.ts'

export interface Event {
  readonly id: string
  readonly type: string
  readonly event: { readonly entityType: string; readonly entityId: string; readonly occurredAt: string }
}

export const event = (id: string, second = 0, entityId = 'c1'): Event => ({
  id,
  type: 'campaign.updated.v1',
  event: { entityType: 'campaign', entityId, occurredAt: `2026-01-01T00:00:0${second}.000Z` },
})

/** A handler that a test controls. */
export function gated() {
  const runs: { readonly id: string; finish(): void; fail(error: Error): void }[] = []
  const waiting: (() => void)[] = []
  return {
    runs,
    handle: ({ id }: Event) =>
      new Promise<void>((finish, fail) => {
        runs.push({ id, finish, fail })
        for (const resolve of waiting.splice(0)) resolve()
      }),
    /** Resolves once a handler runs. */
    begun: () =>
      new Promise<void>((resolve) => {
        if (runs.length > 0) resolve()
        else waiting.push(resolve)
      }),
  }
}

export const options = (changes: Partial<ProcessOptions> = {}): ProcessOptions => ({
  store: memoryStore(),
  name: 'orders',
  waitSeconds: 0,
  ...changes,
})
