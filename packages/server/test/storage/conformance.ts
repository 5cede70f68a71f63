import { afterEach, beforeEach, describe } from 'vitest'
import type { Storage } from '../../src/storage/storage.ts'
import { attemptSuite } from './conformance/attempts.ts'
import { cancelSuite } from './conformance/cancel.ts'
import { claimSuite } from './conformance/claim.ts'
import { failureSuite } from './conformance/failures.ts'
import { healthSuite } from './conformance/health.ts'
import { keySuite } from './conformance/keys.ts'
import { logSuite } from './conformance/log.ts'
import { manualSendSuite } from './conformance/manualSends.ts'
import { modelSuite } from './conformance/model.ts'
import { nodeSuite } from './conformance/nodes.ts'
import { notificationSuite } from './conformance/notifications.ts'
import { publishSuite } from './conformance/publish.ts'
import { reopenSuite } from './conformance/reopen.ts'
import { repeatSuite } from './conformance/repeats.ts'
import { resendSuite } from './conformance/resend.ts'
import { retentionSuite } from './conformance/retention.ts'
import { secretSuite } from './conformance/secrets.ts'
import { webhookSuite } from './conformance/webhooks.ts'
import { workspaceSuite } from './conformance/workspaces.ts'
import { World } from './conformance/world.ts'

export interface OpenedStore {
  readonly storage: Storage
  /** Closes the store and opens it again, as after a restart of its client. */
  readonly reopen: () => Promise<Storage>
  /** Whether one process at a time has the store, so that opening it ends what any earlier one held. */
  readonly exclusive: boolean
  /** Closes whatever is open and removes it. */
  readonly cleanup: () => Promise<void>
}

/** What suites are handed: the store of the test that runs. */
export interface Subject {
  readonly world: () => World
  readonly opened: () => OpenedStore
}

/** What every store must do, whatever is under it. @param open an empty store */
export function storageConformance(name: string, open: () => Promise<OpenedStore>): void {
  describe(`store: ${name}`, () => {
    let opened: OpenedStore
    let world: World
    beforeEach(async () => {
      opened = await open()
      world = new World(opened.storage)
    })
    afterEach(() => opened.cleanup())
    const subject: Subject = { world: () => world, opened: () => opened }
    for (const suite of suites) suite(subject)
  })
}

const suites: readonly ((subject: Subject) => void)[] = [
  nodeSuite,
  publishSuite,
  repeatSuite,
  claimSuite,
  attemptSuite,
  healthSuite,
  notificationSuite,
  cancelSuite,
  webhookSuite,
  secretSuite,
  workspaceSuite,
  keySuite,
  logSuite,
  manualSendSuite,
  resendSuite,
  retentionSuite,
  reopenSuite,
  failureSuite,
  modelSuite,
]
