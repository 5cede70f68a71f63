import type { Scenario } from '../frame/scenario.ts'
import { api } from './api.ts'
import { backlog } from './backlog.ts'
import { consolePage } from './console.ts'
import { fanout } from './fanout.ts'
import { fanoutKills } from './fanoutKills.ts'
import { growth } from './growth.ts'
import { idle } from './idle.ts'
import { isolation } from './isolation.ts'
import { latency } from './latency.ts'
import { log } from './log.ts'
import { nodes } from './nodes.ts'
import { outbox } from './outbox.ts'
import { recover } from './recover.ts'
import { recovery } from './recovery.ts'
import { search } from './search.ts'
import { share } from './share.ts'
import { slowDisk } from './slowDisk.ts'
import { start } from './start.ts'
import { throughput } from './throughput.ts'
import { tracing } from './tracing.ts'

/** In the order of the help; the first runs when none is named. */
export const SCENARIOS: readonly Scenario[] = [
  throughput,
  latency,
  fanout,
  fanoutKills,
  isolation,
  share,
  outbox,
  recovery,
  recover,
  slowDisk,
  backlog,
  growth,
  log,
  search,
  consolePage,
  start,
  idle,
  tracing,
  nodes,
  api,
]
