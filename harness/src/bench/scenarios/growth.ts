import path from 'node:path'
import { GuardedDirectory } from '../../support/guardedDirectory.ts'
import { keepOpen } from '../frame/prepared.ts'
import { lastToFirst, ratioMetric } from '../frame/ratio.ts'
import type { Goal, Prepared, Scenario, Settings } from '../frame/scenario.ts'
import { USUAL } from '../frame/usual.ts'
import { type Hook, prepareLoad } from '../load/prepareLoad.ts'
import { fill } from '../measure/fill.ts'
import { startMeasuringReceiver } from '../measure/fixedRate.ts'
import { FULL_SPEED_METRICS, measureFullSpeed } from '../measure/fullSpeed.ts'
import { onStage, type Stage, type StoreCopy } from '../stage/stage.ts'

const FLAGS = {
  rows: {
    kind: 'counts',
    help: 'deliveries in the log at the start of the measurement, in each variant',
    usual: [0, 1_000_000, 5_000_000],
    quick: [0, 10_000, 100_000],
  },
  webhooks: { kind: 'count', help: 'webhooks of the log; they also share the load', usual: 50 },
} as const

/** The history belongs to the same webhooks, so that any read of a webhook's own history shows up. */
interface Stores extends Prepared {
  readonly hooks: readonly Hook[]
  /** By variant. */
  readonly copies: ReadonlyMap<string, StoreCopy>
}

const variantOf = (rows: number) => `${rows.toLocaleString('en')} rows`
const ascending = ({ flags }: Settings<typeof FLAGS>) => [...flags.rows].sort((a, b) => a - b)

export const growth: Scenario<typeof FLAGS, Stores> = {
  name: 'growth',
  summary: 'throughput with a long log of deliveries, which the service itself created before the rounds',
  flags: FLAGS,
  ...USUAL,
  variants: (settings) => ascending(settings).map(variantOf),
  metrics: FULL_SPEED_METRICS,
  derived: { kept: ratioMetric('throughput, most rows to fewest', lastToFirst('deliveriesPerSecond')) },
  headline: 'deliveriesPerSecond',
  goals: (): Goal[] => [{ metric: 'kept', atLeast: 0.9 }],

  prepare: async (settings) => {
    const directory = new GuardedDirectory(settings.dataParent)
    return keepOpen({ close: () => directory.remove() }, () =>
      onStage(settings, (stage) => fillStores(stage, directory.path, settings)),
    )
  },

  round:
    (settings, { hooks, copies }) =>
    (variant) =>
      measureFullSpeed(
        { ...settings, from: copies.get(variant)! },
        { seconds: settings.seconds, webhooks: hooks },
      ),
}

/**
 * Copies the store as it grows. Each round measures on a fresh copy of such a copy. As much of it as fits is
 * in the system's cache, so reads of old rows cost less than in a store that grew for weeks.
 */
async function fillStores(stage: Stage, directory: string, settings: Settings<typeof FLAGS>) {
  const { receiver, origin } = await startMeasuringReceiver(stage, { idsFile: null })
  let service = await stage.startService()
  const { webhooks } = settings.flags
  const hooks = await prepareLoad(() => service.url, { webhooks, receiverOrigin: origin })
  const copies = new Map<string, StoreCopy>()
  let rows = 0
  for (const wanted of ascending(settings)) {
    if (rows < wanted) rows += await fill(stage, { url: service.url, hooks, events: wanted - rows, receiver })
    await service.stop()
    copies.set(variantOf(wanted), await stage.copyStore(path.join(directory, String(wanted))))
    service = await stage.startService()
  }
  return { hooks, copies }
}
