import { decimals } from '../frame/figures.ts'
import type { Goal, RoundFigures, Scenario, Settings } from '../frame/scenario.ts'
import type { Hook } from '../load/prepareLoad.ts'
import { runBareLoop } from '../measure/bareLoop.ts'
import { FULL_SPEED_FIGURES, runFullSpeed, WARM_UP_DELIVERIES } from '../measure/fullSpeed.ts'
import { measureOnStage } from '../measure/measureOnStage.ts'

const FLAGS = {
  webhooks: { kind: 'count', help: 'webhooks that share the load', usual: 50 },
} as const

export const throughput: Scenario<typeof FLAGS> = {
  name: 'throughput',
  summary: 'batch publish → store → send → receiver, beside a bare undici loop without a store',
  flags: FLAGS,
  stores: ['sqlite', 'postgres'],
  tls: true,
  seconds: { usual: 20, quick: 5 },
  variants: () => ['posthorn', 'bare loop'],
  figures: FULL_SPEED_FIGURES,
  derived: {
    ratio: {
      ...decimals('ratio to the bare loop', 2),
      of: (round) => rateOf(round, 'posthorn') / rateOf(round, 'bare loop'),
    },
  },
  headline: 'deliveriesPerSecond',
  goals: (settings): Goal[] => [{ figure: 'ratio', atLeast: leastRatio(settings) }],

  round(settings) {
    const window = { seconds: settings.seconds, warmUpDeliveries: WARM_UP_DELIVERIES }
    let hooks: readonly Hook[] = []
    const runPosthorn = () =>
      measureOnStage(settings, async (stage) => {
        const services = [await stage.startService()]
        const run = await runFullSpeed(stage, services, { ...window, webhooks: settings.flags.webhooks })
        hooks = run.hooks
        return run.outcome
      })
    // Without a service there is nothing in the store, so it is the one that costs nothing to open.
    const runBare = () =>
      measureOnStage({ ...settings, store: 'sqlite' }, (stage) => runBareLoop(stage, hooks, window))
    return (variant) => (variant === 'posthorn' ? runPosthorn() : runBare())
  },
}

function leastRatio({ store, tls }: Settings<typeof FLAGS>): number {
  if (store === 'postgres') return 0.42
  return tls ? 0.5 : 0.55
}

const rateOf = (round: RoundFigures, variant: string) => round[variant]?.deliveriesPerSecond ?? Number.NaN
