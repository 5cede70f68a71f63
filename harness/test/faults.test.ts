import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { processFaults } from '../src/faults/kinds/processes.ts'
import { receiverOutage } from '../src/faults/kinds/receivers.ts'
import { planRound } from '../src/faults/plan.ts'
import { runFaults, type StoreName } from '../src/faults/run.ts'
import { LEASE_MS, Stage } from '../src/faults/stage.ts'
import { postgresStore } from '../src/faults/stores/postgres.ts'
import { eventually } from '../src/support/waiting.ts'

const STORES: readonly [store: StoreName, nodes: number, rounds: number][] = [
  ['sqlite', 1, 2],
  ['postgres', 2, 1],
]

test.each(STORES)(
  'faults at random moments lose no acknowledged event, and the log stays correct: %s',
  async (store, nodes, rounds) => {
    const seed = Date.now() % 1_000_000
    const directory = mkdtempSync(path.join(os.tmpdir(), 'posthorn-faults-'))
    process.stdout.write(`faults on ${store}: seed ${seed}, logs in ${directory}\n`)
    const options = { store, nodes, rounds, first: 1, seed, kinds: [], directory }
    const { contradictions, failedRound, totals } = await runFaults(options)
    process.stdout.write(`faults on ${store}: ${JSON.stringify(totals)}\n`)
    const where = `seed ${seed}, round ${failedRound}; evidence in ${directory}`
    expect(contradictions.slice(0, 20), where).toEqual([])
    // Without any faults the test would prove nothing.
    expect(totals).toMatchObject({ rounds })
    expect(Math.min(totals.events, totals.deliveries, totals.requests)).toBeGreaterThan(0)
    rmSync(directory, { recursive: true })
  },
  240_000,
)

test('a node whose lease expired while it was frozen logs that', async () => {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'posthorn-faults-'))
  const store = await postgresStore(directory, 2, LEASE_MS)
  const stage = await Stage.setUp(store, 2, directory)
  try {
    const { nodes, journal } = stage.world
    nodes[0]!.freeze()
    const counts = () => store.leftovers()
    await eventually(async () => ((await counts())?.includes('"nodes":1') === true ? true : null), {
      withinMs: 60_000,
      what: 'the other node to take the lease away',
    })
    nodes[0]!.thaw()
    await eventually(async () => ((await counts()) === null ? true : null), {
      withinMs: 60_000,
      what: 'a new lease',
    })
    await eventually(() => (journal.take().lapses.length === 1 ? true : null), {
      withinMs: 60_000,
      what: 'the word of the node',
    })
  } finally {
    await stage.tearDown(null)
    rmSync(directory, { recursive: true })
  }
})

test('a seed and the number of a round determine its faults', () => {
  const kinds = [...processFaults(3_000), receiverOutage]
  const textOf = (seed: number, round: number) => {
    const { chaosMs, faults, sceneSeed } = planRound(seed, round, kinds, 3)
    return [chaosMs, sceneSeed, faults.map(({ atMs, fault }) => [atMs, fault.text])]
  }
  expect(textOf(7, 12)).toEqual(textOf(7, 12))
  expect(textOf(7, 12)).not.toEqual(textOf(7, 13))
  expect(textOf(7, 12)).not.toEqual(textOf(8, 12))
})

test('after ten rounds come ten in which every process survives', () => {
  const kinds = [...processFaults(3_000), receiverOutage]
  const spared = new Set(kinds.filter(({ sparesProcesses }) => sparesProcesses).map(({ name }) => name))
  for (let round = 11; round <= 20; round++) {
    for (const { kind } of planRound(7, round, kinds, 1).faults) expect(spared).toContain(kind)
  }
})
