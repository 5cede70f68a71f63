import { lateDelivery } from '../../../src/storage/fanout.ts'
import { newDelivery } from './publishing.ts'
import type { StoredFanout, StoredWorkspace } from './rows.ts'
import { type Calls, end, type StoreState } from './state.ts'

/** Webhooks visited for one workspace before the next has its turn. */
const ROWS_PER_TURN = 250

export function fanoutCalls(state: StoreState): Calls<'stepFanouts'> {
  let lastWorkspaceId = 0

  function nextWorkspace(): StoredWorkspace | undefined {
    const waiting = state.workspaces.filter(({ fanouts }) => fanouts.length > 0)
    return waiting.find(({ id }) => id > lastWorkspaceId) ?? waiting[0]
  }

  function create({ event }: StoredFanout, { webhook, version }: StoredFanout['webhooks'][number]): void {
    const late = lateDelivery(version, {
      deleted_at: webhook.deletedAt,
      disabled_version: webhook.disabledVersion,
      disabled_at: webhook.disabledAt,
    })
    const of = { kind: 'created', eventId: event.id, webhookId: webhook.id } as const
    if (late.make === 'none') {
      state.note({ ...of, deliveryId: null, canceled: false })
      return
    }
    const delivery = newDelivery(state, event, webhook)
    state.note({ ...of, deliveryId: delivery.id, canceled: late.make === 'canceled' })
    if (late.make === 'canceled') end(delivery, 'canceled', late.at)
    else state.wait(delivery)
  }

  function step({ fanouts }: StoredWorkspace, limit: number): number {
    let left = limit
    for (let fanout = fanouts[0]; left > 0 && fanout !== undefined; fanout = fanouts[0]) {
      const end = Math.min(fanout.position + left, fanout.webhooks.length)
      for (const one of fanout.webhooks.slice(fanout.position, end)) create(fanout, one)
      left -= end - fanout.position
      fanout.position = end
      if (end === fanout.webhooks.length) fanouts.shift()
    }
    return limit - left
  }

  return {
    stepFanouts({ limit }) {
      const workspaceIds = new Set<number>()
      let left = limit
      for (let next = nextWorkspace(); left > 0 && next !== undefined; next = nextWorkspace()) {
        lastWorkspaceId = next.id
        workspaceIds.add(next.id)
        left -= step(next, Math.min(left, ROWS_PER_TURN))
      }
      return { looked: limit - left, workspaceIds: [...workspaceIds], traced: [] }
    },
  }
}
