import { BenchError } from '../frame/benchError.ts'
import type { Outcome } from '../frame/scenario.ts'
import type { Hook } from '../load/prepareLoad.ts'
import { BARE_LOOP, type BareLoopStart } from '../programs/bareLoop.ts'
import type { Stage } from '../stage/stage.ts'
import { countDuring, countOf, startCountingReceiver, WARM_UP_DELIVERIES } from './counting.ts'
import { cpuMicroseconds } from './proc.ts'

const IN_FLIGHT = 64

/** Sends the same requests as the service, without a store. */
export async function runBareLoop(stage: Stage, hooks: readonly Hook[], seconds: number): Promise<Outcome> {
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
  const counted = await countDuring(
    () => countOf([receiver]),
    { seconds, warmUpDeliveries: WARM_UP_DELIVERIES },
    sample,
    check,
  )
  const metrics = {
    deliveriesPerSecond: counted.deliveries / counted.seconds,
    cpuMicrosPerDelivery: (counted.after - counted.before) / counted.deliveries,
  }
  return { metrics, complaints: [] }
}
