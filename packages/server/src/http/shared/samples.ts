import type { EventType } from '../../core/catalog.ts'
import type { StoredEvent } from '../../storage/rows.ts'
import type { Caller } from './caller.ts'
import type { ServiceContext } from './context.ts'

/** Bodies of an event type as webhooks of a workspace receive them. */
export interface Samples {
  /** The workspace's newest events of the type, newest first, at most three; none where the caller may not see what is in them. */
  readonly real: readonly StoredEvent[]
  /** Of these events; where there are none, the one of the type's example. */
  readonly bodies: readonly string[]
}

export async function samplesOf(
  { dialect, storage, clock }: Pick<ServiceContext, 'dialect' | 'storage' | 'clock'>,
  { workspace, visibility }: Caller,
  type: EventType,
): Promise<Samples> {
  // Events are sampled with their bodies.
  const real = visibility.contents
    ? await storage.log.latestEvents({ workspaceId: workspace.id, type: type.type })
    : []
  const example = () => dialect.exampleBody({ type, workspace, occurredAt: clock.now() })
  return { real, bodies: real.length === 0 ? [example()] : real.map(({ body }) => body) }
}
