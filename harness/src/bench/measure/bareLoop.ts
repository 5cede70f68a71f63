import { BenchError } from '../frame/benchError.ts'
import type { Outcome } from '../frame/scenario.ts'
import type { Hook } from '../load/prepareLoad.ts'
import { BARE_LOOP, type BareLoopStart } from '../programs/bareLoop.ts'
import type { Stage } from '../stage/stage.ts'
import { countDuring, countOf, startCountingReceiver, type Window } from './counting.ts'
import { cpuMicroseconds } from './proc.ts'

const IN_FLIGHT = 64

/** Sends what the service would send, without a store. */
export async function runBareLoop(stage: Stage, hooks: readonly Hook[], window: Window): Promise<Outcome> {
  const { receiver, origin } = await startCountingReceiver(stage, stage.file('received'))
  const start: BareLoopStart = {
    origin,
    paths: hooks.map(({ path }) => path),
    bodies: hooks.map(({ body }) => body),
    secret: hooks[0]!.secret,
    inFlight: IN_FLIGHT,
    ca: stage.identity?.cert ?? null,
  }
  const loop = stage.start<never, never>(BARE_LOOP, start)
  const sample = () => cpuMicroseconds(loop.pid)
  const check = () => {
    if (loop.hasEnded) throw new BenchError('the bare loop ended')
  }
  const { deliveries, seconds, before, after } = await countDuring(
    () => countOf([receiver]),
    window,
    sample,
    check,
  )
  const figures = {
    deliveriesPerSecond: deliveries / seconds,
    cpuMicrosPerDelivery: (after - before) / deliveries,
  }
  return { figures, complaints: [] }
}
