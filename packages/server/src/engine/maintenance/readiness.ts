import type { Clock } from '../../core/clock.ts'
import type { Engine } from '../engine.ts'
import { inTime } from './inTime.ts'
import { Shared } from './watches.ts'

/**
 * Whether this node would accept a publish now, for all who ask within five seconds: the check writes to the store. A store that does
 * not answer within two seconds takes nothing.
 */
export const createReadiness = (engine: Pick<Engine, 'check'>, clock: Clock): Shared<boolean> =>
  new Shared(clock, () =>
    inTime(clock, () => engine.check()).then(
      () => true,
      () => false,
    ),
  )
