import { systemClock } from '../../src/core/clock.ts'
import { cancelSuite } from '../storage/conformance/cancel.ts'
import { claimSuite } from '../storage/conformance/claim.ts'
import { healthSuite } from '../storage/conformance/health.ts'
import { idempotencySendSuite } from '../storage/conformance/idempotencySends.ts'
import { limitClaimSuite } from '../storage/conformance/limits.ts'
import { modelSuite } from '../storage/conformance/model.ts'
import { nodeSuite } from '../storage/conformance/nodes.ts'
import { repeatSuite } from '../storage/conformance/repeats.ts'
import { replayModelSuite } from '../storage/conformance/replayModel.ts'
import { replayProgressSuite } from '../storage/conformance/replayProgress.ts'
import { replaySuite } from '../storage/conformance/replays.ts'
import type { OpenedStore } from '../storage/conformance/subject.ts'
import { webhookVersionSuite } from '../storage/conformance/webhookVersions.ts'
import { storageConformance } from '../storage/conformance.ts'
import { MemoryStore } from './store/memoryStore.ts'
import { REAL_SIZES } from './store/state.ts'

/** The suites of all stores that need only the simulations' part of a store. */
const SUITES = [
  nodeSuite,
  repeatSuite,
  claimSuite,
  limitClaimSuite,
  healthSuite,
  cancelSuite,
  webhookVersionSuite,
  idempotencySendSuite,
  replaySuite,
  replayProgressSuite,
  replayModelSuite,
  modelSuite,
]

async function openModel(): Promise<OpenedStore> {
  // Nodes that are rescued in these suites took thousands of leases one by one.
  const sizes = { ...REAL_SIZES, leasesFreed: 5_000 }
  const { storage } = new MemoryStore({ now: () => systemClock.now(), sizes })
  return {
    storage,
    exclusive: false,
    expiresByRow: true,
    reopen: async () => storage,
    cleanup: async () => {},
  }
}

storageConformance('the model that simulations run on', openModel, SUITES)
