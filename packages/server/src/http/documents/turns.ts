import { systemClock } from '../../core/clock.ts'
import { LoopTurns, type Slice } from '../shared/bodies/turns.ts'

const turns = new LoopTurns(systemClock)

/** The event loop's time for one build. A service may have hundreds of types, so builds pause when a slice is over. */
export const buildSlice = (): Slice => turns.slice('documents')
