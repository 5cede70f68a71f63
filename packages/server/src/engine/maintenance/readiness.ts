import type { Clock } from '../../core/clock.ts'
import type { Engine } from '../engine.ts'
import { inTime } from './inTime.ts'

/**
 * Tells whether this node would accept a publish now. A store that does not answer within two seconds counts as unavailable.
 */
export const readinessOf = (engine: Pick<Engine, 'check'>, clock: Clock) => (): Promise<boolean> =>
  inTime(clock, () => engine.check()).then(
    () => true,
    () => false,
  )
