import { NOTHING_OPEN } from '../frame/prepared.ts'
import { ratio, ratioMetric } from '../frame/ratio.ts'
import type { Goal, Prepared, Scenario, Settings } from '../frame/scenario.ts'
import { USUAL, WEBHOOKS } from '../frame/usual.ts'
import { type Hook, prepareLoad } from '../load/prepareLoad.ts'
import { runBareLoop } from '../measure/bareLoop.ts'
import { FULL_SPEED_METRICS, measureFullSpeed } from '../measure/fullSpeed.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'
import { onStage, type StageOptions } from '../stage/stage.ts'

const FLAGS = { webhooks: WEBHOOKS } as const

const POSTHORN = 'posthorn'
const BARE_LOOP = 'bare loop'
/** An unused address: no receiver gets requests before the bare loop has its own. */
const UNUSED_ORIGIN = 'http://127.0.0.1:9'

interface Yardstick extends Prepared {
  /** The requests of the service, for the bare loop to send. */
  readonly hooks: readonly Hook[]
}

export const throughput: Scenario<typeof FLAGS, Yardstick> = {
  name: 'throughput',
  summary: 'batch publish → store → send → receiver, compared with a bare undici loop without a store',
  flags: FLAGS,
  ...USUAL,
  variants: () => [POSTHORN, BARE_LOOP],
  metrics: FULL_SPEED_METRICS,
  derived: {
    ratio: ratioMetric(
      'ratio to the bare loop',
      ratio([POSTHORN, 'deliveriesPerSecond'], [BARE_LOOP, 'deliveriesPerSecond']),
    ),
  },
  headline: 'deliveriesPerSecond',
  goals: (settings): Goal[] => [{ metric: 'ratio', atLeast: leastRatio(settings) }],

  prepare: async (settings) => {
    const hooks = await onStage(onCheapStore(settings), async (stage) => {
      const { url } = await stage.startService()
      return prepareLoad(() => url, { webhooks: settings.flags.webhooks, receiverOrigin: UNUSED_ORIGIN })
    })
    return { ...NOTHING_OPEN, hooks }
  },

  round:
    (settings, { hooks }) =>
    (variant) => {
      const { seconds, flags } = settings
      return variant === BARE_LOOP
        ? measureOnStage(onCheapStore(settings), (stage) => runBareLoop(stage, hooks, seconds))
        : measureFullSpeed(settings, { seconds, webhooks: flags.webhooks })
    },
}

/** The store itself is not measured, so it is the cheapest one to open. */
const onCheapStore = (settings: Settings<typeof FLAGS>): StageOptions => ({ ...settings, store: 'sqlite' })

function leastRatio({ store, tls }: Settings<typeof FLAGS>): number {
  if (store === 'postgres') return 0.42
  return tls ? 0.5 : 0.55
}
