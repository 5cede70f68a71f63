import type { Scenario } from '../frame/scenario.ts'
import { api } from './api.ts'
import { fanout } from './fanout.ts'
import { latency } from './latency.ts'
import { slowDisk } from './slowDisk.ts'
import { throughput } from './throughput.ts'

/** In the order of the help; the first is what runs when none is named. */
export const SCENARIOS: readonly Scenario[] = [throughput, latency, fanout, slowDisk, api]
