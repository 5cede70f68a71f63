import type { Replay } from '../../../src/storage/rows.ts'
import { slidingWindow } from '../../../src/storage/slidingWindow.ts'
import type { ManualSendLimit, ManualSendResult, ReplayFilter } from '../../../src/storage/storage.ts'
import { newDelivery } from './publishing.ts'
import {
  effectiveStatus,
  type StoredDelivery,
  type StoredReplay,
  type StoredWebhook,
  toRecord,
} from './rows.ts'
import { type StoreState, statusForResending, type Verbs } from './state.ts'

type SendVerb = 'sendTest' | 'resend' | 'countReplayable' | 'createReplay' | 'getReplay' | 'stepReplays'

export function manualSendVerbs(state: StoreState): Verbs<SendVerb> {
  /** Whether one more send is allowed, which is counted then. */
  function decide(workspaceId: number, limit: ManualSendLimit, now: number) {
    const workspace = state.workspaces[workspaceId - 1]!
    const { windowMs } = limit
    const within = workspace.sends.filter((at) => at > now - windowMs && at <= now + windowMs)
    const decision = slidingWindow(within, limit, now)
    workspace.sends = decision.allowed ? [...within, now].sort((a, b) => a - b) : within
    return decision
  }

  function refusal(webhook: StoredWebhook | undefined): ManualSendResult | null {
    if (webhook === undefined) return { outcome: 'not_found' }
    const status = effectiveStatus(webhook)
    return status === 'on' ? null : { outcome: 'webhook_not_on', status }
  }

  return {
    sendTest({ event, webhookId, limit, now }) {
      const webhook = state.webhook(event.workspaceId, webhookId)
      const refused = refusal(webhook)
      if (refused !== null) return refused
      const decision = limit === null ? null : decide(event.workspaceId, limit, now)
      if (decision?.allowed === false) return { outcome: 'rate_limited', limit: decision.state }
      const delivery = newDelivery(state, event, webhook!)
      delivery.trigger = 'test'
      state.wait(delivery)
      return { outcome: 'accepted', delivery: toRecord(delivery), limit: decision?.state ?? null }
    },
    resend({ workspaceId, deliveryId, trigger, from, limit, now }) {
      const delivery = state.delivery(workspaceId, deliveryId)
      if (delivery === undefined) return { outcome: 'not_found' }
      const refused = refusal(delivery.webhook)
      if (refused !== null) return refused
      const status = statusForResending(delivery)
      if (!from.includes(status) || status === 'pending') return { outcome: 'wrong_status', status }
      const decision = limit === null ? null : decide(workspaceId, limit, now)
      if (decision?.allowed === false) return { outcome: 'rate_limited', limit: decision.state }
      state.startRun(delivery, trigger, now, null)
      return { outcome: 'accepted', delivery: toRecord(delivery), limit: decision?.state ?? null }
    },
    countReplayable({ max, now, ...filter }) {
      const count = replayable(state, filter).reduce(
        (sum, webhook) => sum + deadOf(webhook, filter).filter(({ finishedAt }) => finishedAt! <= now).length,
        0,
      )
      return { count: Math.min(count, max), more: count > max }
    },
    createReplay({ publicId, max, total, maxUnfinished, now, ...filter }) {
      const unfinished = state.replays.filter(
        ({ row, filter: { workspaceId } }) => row.finishedAt === null && workspaceId === filter.workspaceId,
      )
      if (unfinished.length >= maxUnfinished) return null
      const webhook = filter.webhookId === null ? undefined : state.webhooks[filter.webhookId - 1]
      const { eventType, from, to } = filter
      const row: Replay = {
        ...{ id: state.replays.length + 1, publicId, webhookPublicId: webhook?.made.publicId ?? null },
        ...{ eventType, from, to, total, replayed: 0, createdAt: now, finishedAt: null },
      }
      state.replays.push({ filter, max, row, at: beforeFirst(0) })
      state.note({ kind: 'replayAsked', replayId: row.id })
      return row
    },
    getReplay({ workspaceId, publicId }) {
      const of = (one: StoredReplay) =>
        one.filter.workspaceId === workspaceId && one.row.publicId === publicId
      return state.replays.find(of)?.row ?? null
    },
    stepReplays: replayStepper(state),
  }
}

const beforeFirst = (webhookId: number) => ({ webhookId, time: Number.NEGATIVE_INFINITY, deliveryId: 0 })

/** Webhooks whose dead deliveries can be replayed, by id. */
function replayable(state: StoreState, { workspaceId, webhookId }: ReplayFilter): StoredWebhook[] {
  return (state.workspace(workspaceId)?.webhooks ?? []).filter(
    ({ id, deletedAt, status, canceledThrough }) =>
      (webhookId === null || id === webhookId) &&
      deletedAt === null &&
      status !== 'off' &&
      canceledThrough === null,
  )
}

/** The dead deliveries that match, oldest first. */
function deadOf({ dead }: StoredWebhook, { eventType, from, to }: ReplayFilter): StoredDelivery[] {
  return [...dead]
    .filter(
      ({ event, removed }) =>
        !removed &&
        (eventType === null || event.type === eventType) &&
        (from === null || event.createdAt >= from) &&
        (to === null || event.createdAt < to),
    )
    .sort((a, b) => a.event.createdAt - b.event.createdAt || a.id - b.id)
}

/**
 * Workspaces take turns; in each the oldest replay goes first, webhook by webhook and never back. Each delivery that it
 * looks at, each webhook and its own end count as a row.
 */
function replayStepper(state: StoreState): Verbs<'stepReplays'>['stepReplays'] {
  let lastWorkspaceId = 0

  function nextReplay(): StoredReplay | undefined {
    const open = state.replays
      .filter(({ row }) => row.finishedAt === null)
      .sort((a, b) => a.filter.workspaceId - b.filter.workspaceId || a.row.id - b.row.id)
    return open.find(({ filter }) => filter.workspaceId > lastWorkspaceId) ?? open[0]
  }

  function finish(replay: StoredReplay, now: number): void {
    replay.row = { ...replay.row, finishedAt: now }
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
      const next = deadOf(webhook, { ...filter, eventType: null }).find((delivery) =>
        isAfter(delivery, replay.at),
      )
      if (next === undefined) {
        replay.at = beforeFirst(webhook.id + 1)
        continue
      }
      replay.at = { webhookId: webhook.id, time: next.event.createdAt, deliveryId: next.id }
      const { eventType } = filter
      const wanted = next.finishedAt! <= replay.row.createdAt
      if (!wanted || (eventType !== null && eventType !== next.event.type)) continue
      state.startRun(next, 'replay', now, replay.row.id)
      replay.row = { ...replay.row, replayed: replay.row.replayed + 1 }
    }
    return limit - left
  }

  return ({ now, limit }) => {
    const replay = nextReplay()
    if (replay === undefined) return 0
    lastWorkspaceId = replay.filter.workspaceId
    return step(replay, limit, now)
  }
}

function isAfter({ id, event }: StoredDelivery, { time, deliveryId }: StoredReplay['at']): boolean {
  return event.createdAt > time || (event.createdAt === time && id > deliveryId)
}
