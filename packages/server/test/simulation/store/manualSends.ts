import type { Replay } from '../../../src/storage/rows.ts'
import { slidingWindow } from '../../../src/storage/slidingWindow.ts'
import type { ManualSendLimit, ManualSendResult, ReplayFilter } from '../../../src/storage/storage.ts'
import { newDelivery } from './publishing.ts'
import { type Counted, retryCalls } from './retries.ts'
import {
  effectiveStatus,
  type StoredDelivery,
  type StoredReplay,
  type StoredWebhook,
  toRecord,
} from './rows.ts'
import { type Calls, type StoreState, statusForResending } from './state.ts'

type Refusal = Extract<ManualSendResult, { readonly outcome: 'not_found' | 'webhook_not_on' }>

type SendCallName =
  | 'sendTest'
  | 'resend'
  | 'retryDelivery'
  | 'retryWebhook'
  | 'getWebhookRetry'
  | 'stepRetries'
  | 'countReplayable'
  | 'createReplay'
  | 'cancelReplay'
  | 'getReplay'
  | 'latestRecovery'
  | 'stepReplays'

export function manualSendCalls(state: StoreState): Calls<SendCallName> {
  /** Whether one more send is allowed, and counts it. */
  function decide(workspaceId: number, limit: ManualSendLimit, now: number) {
    const workspace = state.workspaces[workspaceId - 1]!
    const { windowMs } = limit
    const within = workspace.sends.filter((at) => at > now - windowMs && at <= now + windowMs)
    const decision = slidingWindow(within, limit, now)
    workspace.sends = decision.allowed ? [...within, now].sort((a, b) => a - b) : within
    return decision
  }

  function count(workspaceId: number, limit: ManualSendLimit | null, now: number): Counted {
    if (limit === null) return { outcome: 'allowed', limit: null }
    const decision = decide(workspaceId, limit, now)
    return { outcome: decision.allowed ? 'allowed' : 'rate_limited', limit: decision.state }
  }

  function refusal(webhook: StoredWebhook | undefined): Refusal | null {
    if (webhook === undefined) return { outcome: 'not_found' }
    const status = effectiveStatus(webhook)
    return status === 'on' ? null : { outcome: 'webhook_not_on', status }
  }

  return {
    sendTest({ event, webhookId, limit, now }) {
      const webhook = state.webhook(event.workspaceId, webhookId)
      const refused = refusal(webhook)
      if (refused !== null) return refused
      const counted = count(event.workspaceId, limit, now)
      if (counted.outcome === 'rate_limited') return counted
      const delivery = newDelivery(state, event, webhook!)
      delivery.trigger = 'test'
      state.wait(delivery)
      return { outcome: 'accepted', delivery: toRecord(delivery), limit: counted.limit }
    },
    resend({ workspaceId, deliveryId, trigger, from, limit, now }) {
      const delivery = state.delivery(workspaceId, deliveryId)
      if (delivery === undefined) return { outcome: 'not_found' }
      const refused = refusal(delivery.webhook)
      if (refused !== null) return refused
      const status = statusForResending(delivery)
      if (!from.includes(status) || status === 'pending') return { outcome: 'wrong_status', status }
      const counted = count(workspaceId, limit, now)
      if (counted.outcome === 'rate_limited') return counted
      state.startRun(delivery, trigger, now, null)
      return { outcome: 'accepted', delivery: toRecord(delivery), limit: counted.limit }
    },
    countReplayable({ now, ...filter }) {
      const count = replayable(state, filter).reduce(
        (sum, webhook) =>
          sum + endedOf(webhook, filter).filter(({ finishedAt }) => finishedAt! <= now).length,
        0,
      )
      return { count, next: null }
    },
    createReplay({ publicId, trigger, max, total, maxUnfinished, limit, now, ...filter }) {
      const { workspaceId } = filter
      const webhook = filter.webhookId === null ? undefined : state.webhook(workspaceId, filter.webhookId)
      const refused = trigger === 'recover' ? refusal(webhook) : null
      if (refused !== null) return refused
      const unfinished = state.replays.filter(
        ({ row, filter }) => row.finishedAt === null && workspaceId === filter.workspaceId,
      )
      if (unfinished.length >= maxUnfinished) return { outcome: 'full' }
      const counted = count(workspaceId, limit, now)
      if (counted.outcome === 'rate_limited') return counted
      const { webhookId, statuses, eventTypes, from, to } = filter
      const row: Replay = {
        ...{ id: state.replays.length + 1, publicId, trigger, webhookId },
        webhookPublicId: webhook?.made.publicId ?? null,
        ...{ statuses, eventTypes, from, to, total, replayed: 0, delivered: 0, failed: 0 },
        ...{ createdAt: now, finishedAt: null, doneAt: null, canceledAt: null },
      }
      state.replays.push({ filter, max, row, at: beforeFirst(0) })
      state.note({ kind: 'replayAsked', replayId: row.id })
      return { outcome: 'created', replay: row, limit: counted.limit }
    },
    getReplay({ workspaceId, publicId }) {
      const of = (one: StoredReplay) =>
        one.filter.workspaceId === workspaceId && one.row.publicId === publicId
      return state.replays.find(of)?.row ?? null
    },
    latestRecovery({ webhookId }) {
      const recoveries = state.replays.filter(
        ({ row }) => row.webhookId === webhookId && row.trigger === 'recover',
      )
      return recoveries.at(-1)?.row.publicId ?? null
    },
    cancelReplay({ workspaceId, publicId, now }) {
      const of = (one: StoredReplay) =>
        one.filter.workspaceId === workspaceId && one.row.publicId === publicId
      const replay = state.replays.find(of)
      if (replay === undefined) return null
      const { doneAt, canceledAt, finishedAt } = replay.row
      if (doneAt !== null || canceledAt !== null) return { replay: replay.row, changed: false }
      replay.row = { ...replay.row, canceledAt: now, finishedAt: finishedAt ?? now }
      if (finishedAt === null) state.note({ kind: 'replayEnded', replayId: replay.row.id })
      return { replay: replay.row, changed: true }
    },
    stepReplays: replayStepper(state),
    ...retryCalls(state, { refusal, count }),
  }
}

const beforeFirst = (webhookId: number) => ({ webhookId, time: Number.NEGATIVE_INFINITY, deliveryId: 0 })

/** Webhooks whose deliveries can be replayed, by id. */
function replayable(state: StoreState, { workspaceId, webhookId }: ReplayFilter): StoredWebhook[] {
  return (state.workspace(workspaceId)?.webhooks ?? []).filter(
    ({ id, deletedAt, status, canceledThrough }) =>
      (webhookId === null || id === webhookId) &&
      deletedAt === null &&
      status !== 'off' &&
      canceledThrough === null,
  )
}

/** The deliveries that match, oldest first. */
function endedOf({ unhealthy }: StoredWebhook, filter: ReplayFilter): StoredDelivery[] {
  const { statuses, eventTypes, from, to } = filter
  return [...unhealthy]
    .filter(
      ({ event, status, trigger, removed }) =>
        !removed &&
        trigger !== 'test' &&
        statuses.some((one) => one === status) &&
        (eventTypes.length === 0 || eventTypes.includes(event.type)) &&
        (from === null || event.createdAt >= from) &&
        (to === null || event.createdAt < to),
    )
    .sort((a, b) => a.event.createdAt - b.event.createdAt || a.id - b.id)
}

/**
 * Workspaces take turns; in each the oldest replay comes first, webhook by webhook and never back. Each
 * delivery it visits, each webhook and its own end count as a row.
 */
function replayStepper(state: StoreState): Calls<'stepReplays'>['stepReplays'] {
  let lastWorkspaceId = 0

  function nextReplay(): StoredReplay | undefined {
    const open = state.replays
      .filter(({ row }) => row.finishedAt === null)
      .sort((a, b) => a.filter.workspaceId - b.filter.workspaceId || a.row.id - b.row.id)
    return open.find(({ filter }) => filter.workspaceId > lastWorkspaceId) ?? open[0]
  }

  function isCanceling({ filter: { workspaceId, webhookId }, at }: StoredReplay): boolean {
    return (state.workspace(workspaceId)?.webhooks ?? []).some(
      ({ id, deletedAt, status, canceledThrough }) =>
        (webhookId === null ? id >= at.webhookId : id === webhookId) &&
        deletedAt === null &&
        status !== 'off' &&
        canceledThrough !== null,
    )
  }

  function finish(replay: StoredReplay, now: number): void {
    const { delivered, failed, replayed } = replay.row
    replay.row = { ...replay.row, finishedAt: now, doneAt: delivered + failed >= replayed ? now : null }
    state.note({ kind: 'replayEnded', replayId: replay.row.id })
  }

  function step(replay: StoredReplay, limit: number, now: number): number {
    const { filter, max } = replay
    let left = limit
    while (left > 0 && replay.row.finishedAt === null) {
      const webhook =
        replay.row.replayed < max
          ? replayable(state, filter).find(({ id }) => id >= replay.at.webhookId)
          : undefined
      left--
      if (webhook === undefined) {
        finish(replay, now)
        continue
      }
      if (webhook.id !== replay.at.webhookId) replay.at = beforeFirst(webhook.id)
      const next = endedOf(webhook, { ...filter, eventTypes: [] }).find((delivery) =>
        isAfter(delivery, replay.at),
      )
      if (next === undefined) {
        replay.at = beforeFirst(webhook.id + 1)
        continue
      }
      replay.at = { webhookId: webhook.id, time: next.event.createdAt, deliveryId: next.id }
      if (!isWanted(next, replay)) continue
      state.startRun(next, replay.row.trigger, now, replay.row.id)
      replay.row = { ...replay.row, replayed: replay.row.replayed + 1 }
    }
    return limit - left
  }

  return ({ now, limit }) => {
    const replay = nextReplay()
    if (replay === undefined) return { looked: 0, started: 0, waits: false }
    if (isCanceling(replay)) {
      lastWorkspaceId = replay.filter.workspaceId
      return { looked: 0, started: 0, waits: true }
    }
    lastWorkspaceId = replay.filter.workspaceId
    const before = replay.row.replayed
    const looked = step(replay, limit, now)
    return { looked, started: replay.row.replayed - before, waits: false }
  }
}

function isWanted({ finishedAt, lease, event }: StoredDelivery, { filter, row }: StoredReplay): boolean {
  const { eventTypes } = filter
  const ofType = eventTypes.length === 0 || eventTypes.includes(event.type)
  return ofType && lease === null && finishedAt! <= row.createdAt
}

function isAfter({ id, event }: StoredDelivery, { time, deliveryId }: StoredReplay['at']): boolean {
  return event.createdAt > time || (event.createdAt === time && id > deliveryId)
}
