import { type FanoutTarget, formatMatchSet, lateDelivery, type MatchedWebhook } from '../../fanout.ts'
import type { OnWebhook } from '../../matchCache.ts'
import type { Connection } from '../connection.ts'
import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'
import { eventRows } from './eventRows.ts'

export const fanoutSql = {
  addSet: 'INSERT INTO match_sets (workspace_id, webhooks) VALUES (?, ?)',
  isKept: 'SELECT 1 FROM match_sets WHERE id = ?',
  add: 'INSERT INTO fanouts (event_id, workspace_id, set_id) VALUES (?, ?, ?)',
  waiting: 'SELECT waiting FROM fanout_queues WHERE workspace_id = ?',
  addWaiting: `
    INSERT INTO fanout_queues (workspace_id, waiting) VALUES (@workspaceId, @count)
    ON CONFLICT (workspace_id) DO UPDATE SET waiting = waiting + @count`,
}

/** Notes events whose deliveries are made later. */
export function fanoutRows(db: Connection) {
  const addSet = db.prepare<[number, string]>(fanoutSql.addSet)
  const isKept = db.prepare<[number]>(fanoutSql.isKept)
  const add = db.prepare<[number, number, number]>(fanoutSql.add)
  const waiting = db.prepare<[number], number>(fanoutSql.waiting).pluck()
  const addWaiting = db.prepare<{ workspaceId: number; count: number }>(fanoutSql.addWaiting)
  /** The rows of lists: those that were rolled back or have gone since are written again. */
  const setIds = new WeakMap<readonly OnWebhook[], number>()

  function setIdOf(workspaceId: number, webhooks: readonly OnWebhook[]): number {
    const known = setIds.get(webhooks)
    if (known !== undefined && isKept.get(known) !== undefined) return known
    const id = Number(addSet.run(workspaceId, formatMatchSet(webhooks)).lastInsertRowid)
    setIds.set(webhooks, id)
    return id
  }

  return {
    waitingOf: (workspaceId: number): number => waiting.get(workspaceId) ?? 0,
    /** @param webhooks the event's, as `matchCache` gives them */
    add(event: { readonly id: number; readonly workspaceId: number }, webhooks: readonly OnWebhook[]): void {
      const { id, workspaceId } = event
      add.run(id, workspaceId, setIdOf(workspaceId, webhooks))
      addWaiting.run({ workspaceId, count: webhooks.length })
    },
  }
}

/** Webhooks looked at for one workspace before the next has its turn. */
const ROWS_PER_TURN = 250

export const fanoutStepSql = {
  /** The workspace after the one whose turn was last, round and round. */
  turn: `
    SELECT coalesce(
      (SELECT workspace_id FROM fanout_queues WHERE workspace_id > ? ORDER BY workspace_id LIMIT 1),
      (SELECT workspace_id FROM fanout_queues WHERE workspace_id > 0 ORDER BY workspace_id LIMIT 1)) AS workspaceId`,
  oldest: `
    SELECT f.event_id, f.set_id, f.position, e.first_delivery_id, e.created_at
    FROM fanouts f INDEXED BY fanouts_of_workspace CROSS JOIN events e ON e.id = f.event_id
    WHERE f.workspace_id = ? ORDER BY f.event_id LIMIT 1`,
  readSet: 'SELECT webhooks FROM match_sets WHERE id = ?',
  target: 'SELECT deleted_at, disabled_version, disabled_at FROM webhooks WHERE id = ?',
  move: 'UPDATE fanouts SET position = ? WHERE event_id = ?',
  finish: 'DELETE FROM fanouts WHERE event_id = ?',
  dropSet: `
    DELETE FROM match_sets WHERE id = @setId
      AND NOT EXISTS (SELECT 1 FROM fanouts INDEXED BY fanouts_of_set WHERE set_id = @setId)`,
  /** The last ones take the row with them. */
  finishQueue: 'DELETE FROM fanout_queues WHERE workspace_id = ? AND waiting <= ?',
  takeWaiting: 'UPDATE fanout_queues SET waiting = waiting - ? WHERE workspace_id = ?',
}

interface FanoutRow {
  readonly event_id: number
  readonly set_id: number
  readonly position: number
  readonly first_delivery_id: number
  readonly created_at: number
}

export function fanoutVerbs(store: Store): Pick<VerbTable, 'stepFanouts'> {
  const turn = store.db.prepare<[number], { readonly workspaceId: number | null }>(fanoutStepSql.turn)
  const stepWorkspace = workspaceStepper(store)
  let lastWorkspaceId = 0
  return {
    stepFanouts({ limit }) {
      const workspaceIds = new Set<number>()
      let left = limit
      while (left > 0) {
        const { workspaceId } = turn.get(lastWorkspaceId)!
        if (workspaceId === null) break
        lastWorkspaceId = workspaceId
        workspaceIds.add(workspaceId)
        left -= stepWorkspace(workspaceId, Math.min(left, ROWS_PER_TURN))
      }
      return { looked: limit - left, workspaceIds: [...workspaceIds] }
    },
  }
}

/** @returns a function that carries on the fan-outs of a workspace, and says how many webhooks it looked at. */
function workspaceStepper(store: Store): (workspaceId: number, limit: number) => number {
  const { db } = store
  const oldest = db.prepare<[number], FanoutRow>(fanoutStepSql.oldest)
  const move = db.prepare<[number, number]>(fanoutStepSql.move)
  const finish = db.prepare<[number]>(fanoutStepSql.finish)
  const dropSet = db.prepare<{ setId: number }>(fanoutStepSql.dropSet)
  const finishQueue = db.prepare<[number, number]>(fanoutStepSql.finishQueue)
  const takeWaiting = db.prepare<[number, number]>(fanoutStepSql.takeWaiting)
  const setOf = setReader(store)
  const make = deliveryMaker(db)

  function stepEvent(fanout: FanoutRow, limit: number): number {
    const { event_id: eventId, set_id: setId, position } = fanout
    const set = setOf(setId)
    const end = Math.min(position + limit, set.length)
    for (let at = position; at < end; at++) make(fanout, at, set[at]!)
    if (end < set.length) move.run(end, eventId)
    else {
      finish.run(eventId)
      dropSet.run({ setId })
    }
    return end - position
  }

  return (workspaceId, limit) => {
    let left = limit
    while (left > 0) {
      const fanout = oldest.get(workspaceId)
      if (fanout === undefined) break
      left -= stepEvent(fanout, left)
    }
    const looked = limit - left
    if (finishQueue.run(workspaceId, looked).changes === 0) takeWaiting.run(looked, workspaceId)
    return looked
  }
}

function setReader({ db, matchSets }: Store): (id: number) => readonly MatchedWebhook[] {
  const readSet = db.prepare<[number], string>(fanoutStepSql.readSet).pluck()
  return (id) => matchSets.get(id) ?? matchSets.add(id, readSet.get(id)!)
}

/** @returns a function that makes the delivery to one webhook of a set, under the id that its event reserved. */
function deliveryMaker(db: Connection) {
  const target = db.prepare<[number], FanoutTarget>(fanoutStepSql.target)
  const rows = eventRows(db)
  return (fanout: FanoutRow, at: number, [webhookId, version]: MatchedWebhook): void => {
    const late = lateDelivery(version, target.get(webhookId))
    if (late.make === 'none') return
    const event = { id: fanout.event_id, createdAt: fanout.created_at }
    const deliveryId = fanout.first_delivery_id + at
    if (late.make === 'pending') rows.delivery(deliveryId, event, webhookId, null)
    else rows.canceled(deliveryId, event, webhookId, late.at)
  }
}
