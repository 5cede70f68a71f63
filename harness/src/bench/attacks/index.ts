import type { Attack } from './attack.ts'
import { fanOut } from './fanOut.ts'
import { flood } from './flood.ts'
import { greedyAtFixedRate } from './greedyAtFixedRate.ts'
import { greedyAtFullSpeed } from './greedyAtFullSpeed.ts'
import { hostileBodies } from './hostileBodies.ts'
import { stalledUploads } from './stalledUploads.ts'

/** In the order of the report. */
export const ATTACKS: readonly Attack[] = [
  greedyAtFixedRate,
  greedyAtFullSpeed,
  fanOut,
  hostileBodies,
  stalledUploads,
  flood,
]
