import { setTimeout as sleep } from 'node:timers/promises'
import { Probes } from '../database/probes.ts'
import { query } from '../postgres/query.ts'
import { eventually } from '../support/waiting.ts'
import { type CutEvidence, type CutResult, judge } from './judge.ts'
import { openStage, type Stage } from './stage.ts'
import type { NodeLife } from './witness.ts'

const PATIENCE_MS = 120_000
/** Deliveries that a node must hold when it is cut off. */
const HOLDS_AT_LEAST = 40

export interface CutOptions {
  readonly leaseMs: number
  /** How long the cut lasts. */
  readonly cutMs: number
}

/** Disconnects one of three nodes from their database while it has deliveries, for longer than its lease. */
export async function runCut(options: CutOptions): Promise<CutResult> {
  const stage = await openStage(options.leaseMs)
  try {
    return judge(await gather(stage, options))
  } finally {
    await stage.close()
  }
}

async function gather(stage: Stage, { leaseMs, cutMs }: CutOptions): Promise<CutEvidence> {
  const { testbed, storage, outside, witness, nodes, publisher, prompt, slow } = stage
  const { host, service } = nodes[0]!
  const ready = new Probes(() => `${service.url}/readyz`)
  const life = await lifeOf(stage)
  await until(
    'deliveries that it holds',
    async () => (await witness.heldBy(life.id)).length >= HOLDS_AT_LEAST,
  )
  testbed.cut(host, storage)
  const cutAt = Date.now()
  // Requests that had already arrived from it are still executed.
  await until('rest of its connections', async () => !(await witness.isBusyFor(life.client)))
  const held = await witness.heldBy(life.id)
  await sleep(cutMs)
  testbed.restore(host, storage)
  const restoredAt = Date.now()
  slow.delayMs = 0
  const address = host.addressIn(outside)
  await until('return of the node', () =>
    prompt.arrivals.some(({ from, at }) => from === address && at > restoredAt),
  )
  await until('its being ready', () =>
    ready.answers.some(({ at, status }) => at > restoredAt && status === 200),
  )
  await publisher.stop()
  const again = await publisher.tryAgain()
  await until('delivery of all events', async () => (await undelivered(stage)) === 0)
  await ready.stop()
  const [lives, records, freed] = await Promise.all([witness.nodes(), witness.records(), witness.freed()])
  const exits = await Promise.all(nodes.map((node) => node.service.stop()))
  return {
    leaseMs,
    cutAt,
    restoredAt,
    address,
    life: lives.find(({ id }) => id === life.id)!,
    held,
    lives,
    records,
    freed,
    arrivals: [prompt, slow].flatMap((receiver) =>
      receiver.arrivals.map((arrival) => ({ ...arrival, url: receiver.url() })),
    ),
    urls: [prompt.url(), slow.url()],
    tries: publisher.tries,
    refusedForGood: again.filter(({ status }) => status !== 202).length,
    readyAnswers: ready.answers,
    exits,
  }
}

/** The store's record of the node that will be disconnected. */
async function lifeOf({ witness, nodes, storage }: Stage): Promise<NodeLife> {
  const client = nodes[0]!.host.addressIn(storage)
  const life = (await witness.nodes()).find((one) => one.client === client)
  if (life === undefined) throw new Error(`no node has registered from ${client}`)
  return life
}

async function undelivered({ databaseUrl }: Stage): Promise<number> {
  const rows = await query(databaseUrl, "select 1 from posthorn.deliveries where status <> 'delivered'")
  return rows.length
}

function until(what: string, holds: () => boolean | Promise<boolean>): Promise<true> {
  return eventually(async () => (await holds()) || null, { withinMs: PATIENCE_MS, what })
}
