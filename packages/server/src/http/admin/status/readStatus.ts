import { MINUTE_MS, SECOND_MS } from '../../../core/duration.ts'
import { attemptsOf, summaryOf } from '../../../core/stats/summary.ts'
import { addTally, type Tally } from '../../../core/stats/tally.ts'
import { startOf, UNIT_MS } from '../../../core/stats/units.ts'
import { VERSION } from '../../../engine/attempt/version.ts'
import { readDisk } from '../../../engine/maintenance/disk.ts'
import { inTime } from '../../../engine/maintenance/inTime.ts'
import type { Context } from '../../shared/context.ts'
import { webhookCountsJson } from '../../shared/currentState.ts'
import { isoTime, isoTimeOrNull } from '../../shared/time.ts'
import { rank, rankedWorkspaceJson } from '../ranking.ts'
import { adviceOf } from './advice.ts'
import type { StatusJson } from './schema.ts'

const RATES_OVER_MS = 5 * MINUTE_MS
const WORKSPACES_SHOWN = 5

/**
 * Reads the list of nodes, the shared readings that `/metrics` has too, five minutes of stats, the ranking of workspaces in the last
 * hour, and the size of the database. Parts that the store does not return within two seconds are `null`.
 */
export async function readStatus(ctx: Context): Promise<StatusJson> {
  const { engine, clock } = ctx
  const orNull = <Result>(read: () => Promise<Result>) => inTime(clock, read).catch(() => null)
  const [accepts, bytes, disk, nodes, rates, queue, overview, failing] = await Promise.all([
    ctx.isReady(),
    orNull(ctx.storeFacts.bytes),
    readDisk(ctx.dataDir),
    orNull(() => nodesJson(ctx)),
    orNull(() => ratesJson(ctx)),
    orNull(() => engine.queue()),
    orNull(() => ctx.overview.current()),
    orNull(() => failingWorkspaces(ctx)),
  ])
  const { heldSince, allHeldSince } = engine.egress
  const oldest = overview?.oldestPending ?? null
  const facts = {
    at: isoTime(clock.now()),
    version: VERSION,
    node_id: engine.nodeId,
    accepts_events: accepts,
    holds_lease: engine.leaseValid,
    egress_closed_since: isoTimeOrNull(heldSince),
    all_egress_closed_since: isoTimeOrNull(allHeldSince),
    in_flight: engine.load.inFlight,
    in_memory: engine.load.waiting,
    store: { kind: ctx.storeFacts.kind, schema_version: ctx.storeFacts.schemaVersion, bytes },
    disk: disk === null ? null : { free_bytes: disk.freeBytes, size_bytes: disk.sizeBytes },
    clock: {
      steady: engine.clock.steady,
      ahead_of_machine_seconds: engine.clock.aheadOfMachineMs / SECOND_MS,
    },
    nodes,
    rates,
    queue:
      queue === null
        ? null
        : {
            pending: queue.pending,
            due: queue.due,
            oldest_due_at: isoTimeOrNull(queue.oldestDueAt),
            oldest_pending_at: isoTimeOrNull(oldest?.createdAt ?? null),
            oldest_pending_reason: oldest === null ? null : engine.whyPending(oldest),
          },
    webhooks: overview === null ? null : webhookCountsJson(overview.webhooks),
    failing_workspaces: failing,
    outbox: outboxJson(ctx),
    warnings: ctx.warnings.list().map(({ code, text, since }) => ({ code, text, since: isoTime(since) })),
  }
  return { ...facts, to_do: adviceOf(facts) }
}

async function nodesJson({ storage, engine }: Context): Promise<NonNullable<StatusJson['nodes']>> {
  const nodes = await storage.nodes.listNodes({})
  return nodes.map(({ id, version, startedAt, leaseUntil, alive }) => ({
    id,
    version,
    answering: id === engine.nodeId,
    alive,
    started_at: isoTimeOrNull(startedAt),
    lease_expires_at: isoTime(leaseUntil),
  }))
}

async function ratesJson({ storage, clock }: Context): Promise<StatusJson['rates']> {
  const to = startOf(clock.now(), UNIT_MS.minute)
  const span = { unit: 'minute', stepMs: RATES_OVER_MS, from: to - RATES_OVER_MS, to } as const
  const sum: Tally = new Map()
  for (const { counts } of await storage.stats.readStats({ scope: 'all', ids: [0], ...span }))
    addTally(sum, counts)
  const summary = summaryOf(sum, 'all')
  const { all, failed } = attemptsOf(summary)
  const aSecond = (count: number) => Math.round((count / (RATES_OVER_MS / SECOND_MS)) * 1000) / 1000
  return {
    events: aSecond(summary.events),
    attempts: aSecond(all),
    failed_attempts: aSecond(failed),
    delivered: aSecond(summary.deliveries.delivered),
  }
}

async function failingWorkspaces(ctx: Context): Promise<StatusJson['failing_workspaces']> {
  const ranked = (await rank(ctx, { scope: 'workspace', by: 'failed' }, '1h'))
    .filter(({ failed }) => failed > 0)
    .slice(0, WORKSPACES_SHOWN)
  const workspaceIds = ranked.map(({ id }) => id)
  const found = await ctx.storage.stats.describeWorkspaces({ workspaceIds })
  const byId = new Map(found.map((workspace) => [workspace.id, workspace]))
  return ranked.flatMap(({ id, attempts, failed }) => {
    const workspace = byId.get(id)
    return workspace === undefined ? [] : [{ workspace: rankedWorkspaceJson(workspace), attempts, failed }]
  })
}

function outboxJson({ outboxState }: Context): StatusJson['outbox'] {
  const state = outboxState()
  if (state === null) return null
  return {
    outbox: state.outbox,
    readable: state.readable,
    publishing: state.publishing,
    blocked_workspaces: state.blockedWorkspaces,
    pending_events: state.pending,
    oldest_pending_seconds: state.oldestPendingMs / SECOND_MS,
    failed_events: state.failed,
    stored_bytes: state.storedBytes,
  }
}
