import type { Clock } from '../../core/clock.ts'
import type { Engine } from '../engine.ts'
import { inTime } from './inTime.ts'
import { Shared } from './watches.ts'

/**
 * Whether this node would accept a publish now, cached for five seconds, since the check writes to the store. A store that does
 * not answer within two seconds counts as unavailable.
 */
export const createReadiness = (engine: Pick<Engine, 'check'>, clock: Clock): Shared<boolean> =>
  new Shared(clock, () =>
    inTime(clock, () => engine.check()).then(
      () => true,
      () => false,
    ),
  )
