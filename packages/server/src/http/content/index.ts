import type { DialectRoute } from '../shared/context.ts'
import { createWebhook } from './createWebhook.ts'
import { deleteWebhook } from './deleteWebhook.ts'
import { getDelivery } from './getDelivery.ts'
import { getEvent } from './getEvent.ts'
import { getWebhook } from './getWebhook.ts'
import { listAllDeliveries } from './listAllDeliveries.ts'
import { listAudit } from './listAudit.ts'
import { listDeliveries } from './listDeliveries.ts'
import { listEvents } from './listEvents.ts'
import { listWebhooks } from './listWebhooks.ts'
import { publishBatch } from './publishBatch.ts'
import { publishEvent } from './publishEvent.ts'
import { redeliver } from './redeliver.ts'
import { rotateSecret } from './rotateSecret.ts'
import { sampleEvent } from './sampleEvent.ts'
import { testWebhook } from './testWebhook.ts'
import { updateWebhook } from './updateWebhook.ts'

/** The routes of the content dialect. */
export const contentRoutes: readonly DialectRoute[] = [
  publishEvent,
  publishBatch,
  listEvents,
  getEvent,
  createWebhook,
  listWebhooks,
  sampleEvent,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateSecret,
  testWebhook,
  listAllDeliveries,
  listDeliveries,
  getDelivery,
  redeliver,
  listAudit,
]
