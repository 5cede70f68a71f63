import { cancelRecovery } from './cancelRecovery.ts'
import { consumerOperations } from './consumers/index.ts'
import { createRecovery } from './createRecovery.ts'
import { createReplay } from './createReplay.ts'
import { createWebhook } from './createWebhook.ts'
import { deleteWebhook } from './deleteWebhook.ts'
import { getDelivery } from './getDelivery.ts'
import { getEvent } from './getEvent.ts'
import { getRecovery } from './getRecovery.ts'
import { getReplay } from './getReplay.ts'
import { getRetry } from './getRetry.ts'
import { getWebhook } from './getWebhook.ts'
import { listAudit } from './listAudit.ts'
import { listDeliveries } from './listDeliveries.ts'
import { listEvents } from './listEvents.ts'
import { listWebhookDeliveries } from './listWebhookDeliveries.ts'
import { listWebhooks } from './listWebhooks.ts'
import type { Operation } from './operation.ts'
import { operationalOperations } from './operational.ts'
import { publishBatch } from './publishBatch.ts'
import { publishEvent } from './publishEvent.ts'
import { redeliver, replayDelivery, retryDelivery } from './resend.ts'
import { retryWebhook } from './retryWebhook.ts'
import { rotateSecret } from './rotateSecret.ts'
import { sampleEvent } from './sampleEvent.ts'
import { testWebhook } from './testWebhook.ts'
import { updateWebhook } from './updateWebhook.ts'

/** Everything that services can do, in the order of documents. */
export const OPERATIONS: readonly Operation[] = [
  publishEvent,
  publishBatch,
  listEvents,
  getEvent,
  ...consumerOperations,
  createWebhook,
  listWebhooks,
  sampleEvent,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateSecret,
  testWebhook,
  retryWebhook,
  getRetry,
  listDeliveries,
  listWebhookDeliveries,
  getDelivery,
  retryDelivery,
  redeliver,
  replayDelivery,
  createReplay,
  getReplay,
  createRecovery,
  getRecovery,
  cancelRecovery,
  ...operationalOperations,
  listAudit,
]
