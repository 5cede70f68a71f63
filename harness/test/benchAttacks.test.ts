import { chmodSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readTyped, settingsOf } from '../src/bench/frame/flags.ts'
import { fanoutKills } from '../src/bench/scenarios/fanoutKills.ts'
import { share } from '../src/bench/scenarios/share.ts'
import { dataParentOf } from '../src/bench/stage/dataParent.ts'
import { STORES } from '../src/bench/stage/stores.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'

let dataParent: string
beforeEach(() => {
  dataParent = makeDirectory(dataParentOf('postgres', null))
  // PostgreSQL does not run as root.
  chmodSync(dataParent, 0o755)
})
afterEach(() => removeDirectory(dataParent))

/** More than 2,000 deliveries in one batch: more than the service creates before it acknowledges. */
const SMALL_FANOUT = ['--endpoints', '300', '--events', '20', '--batch', '20', '--kills', '3', '--seed', '7']

test.each(STORES)(
  'nodes killed while they create deliveries (%s) leave each one created once, and sent',
  async (store) => {
    const args = ['--store', store, '--data-dir', dataParent, ...SMALL_FANOUT]
    const settings = settingsOf(fanoutKills, readTyped(args, Object.keys(fanoutKills.flags)))
    const prepared = await fanoutKills.prepare!(settings)
    const [variant] = fanoutKills.variants(settings)
    const { metrics, complaints } = await fanoutKills.round(settings, prepared)(variant!)
    expect(complaints).toEqual([])
    expect(metrics.endpointsPerSecond).toBeGreaterThan(0)
    expect(metrics.whileCreating).toBeGreaterThan(0)
  },
)

const TINY = ['--workspaces', '2', '--rate', '2', '--seconds', '1', '--quick']

test.each([
  [
    'fan-out',
    ['--endpoints', '20', '--batches', '2', '--batch-events', '5', '--drain', '60'],
    { fanOutArrived: 200 },
  ],
  ['hostile-bodies', ['--bodies', 'open-arrays,wrong-events', '--hostile-connections', '1'], {}],
  ['flood', ['--flood-rate', '20', '--flood-events', '2', '--flood-requests', '50'], {}],
])('%s leaves a run sound, and is measured', async (attack, flags, expected) => {
  const args = ['--data-dir', dataParent, ...TINY, '--attacks', attack, ...flags]
  const settings = settingsOf(share, readTyped(args, Object.keys(share.flags)))
  const { metrics, complaints } = await share.round(settings, { close: async () => {} })(attack)
  expect(complaints).toEqual([])
  expect(metrics).toMatchObject({ receivedP99Ms: expect.any(Number), ...expected })
  expect(metrics.receivedP99Ms).toBeGreaterThan(0)
  if (attack === 'flood') expect(metrics.floodAccepted).toBeGreaterThan(0)
  if (attack === 'hostile-bodies') expect(metrics.rejectedRequests).toBeGreaterThan(0)
})
