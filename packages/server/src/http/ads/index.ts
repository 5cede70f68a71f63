import type { DialectRoute } from '../shared/context.ts'
import { createReplay } from './createReplay.ts'
import { createWebhook } from './createWebhook.ts'
import { deleteWebhook } from './deleteWebhook.ts'
import { getDelivery } from './getDelivery.ts'
import { getEvent } from './getEvent.ts'
import { getReplay } from './getReplay.ts'
import { getWebhook } from './getWebhook.ts'
import { listAudit } from './listAudit.ts'
import { listDeliveries } from './listDeliveries.ts'
import { listEvents } from './listEvents.ts'
import { listWebhooks } from './listWebhooks.ts'
import { publishBatch } from './publishBatch.ts'
import { publishEvent } from './publishEvent.ts'
import { replayDelivery } from './replayDelivery.ts'
import { rotateSecret } from './rotateSecret.ts'
import { updateWebhook } from './updateWebhook.ts'

/** The routes of the ads dialect. */
export const adsRoutes: readonly DialectRoute[] = [
  publishEvent,
  publishBatch,
  listEvents,
  getEvent,
  createWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateSecret,
  listDeliveries,
  getDelivery,
  replayDelivery,
  createReplay,
  getReplay,
  listAudit,
]
