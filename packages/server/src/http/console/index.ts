import type { Route } from '../shared/context.ts'
import { checkUrl } from './checkUrl.ts'
import { createSession } from './createSession.ts'
import { createSignInLink } from './createSignInLink.ts'
import { deleteSession } from './deleteSession.ts'
import { deleteSessions } from './deleteSessions.ts'
import { getOverview } from './getOverview.ts'
import { getPreferences } from './getPreferences.ts'
import { getRules } from './getRules.ts'
import { getService } from './getService.ts'
import { getSession } from './getSession.ts'
import { getStats } from './getStats.ts'
import { getWebhookSummary } from './getWebhookSummary.ts'
import { listEventTypes } from './listEventTypes.ts'
import { listSamples } from './listSamples.ts'
import { listWebhookSummaries } from './listWebhookSummaries.ts'
import { updatePreferences } from './updatePreferences.ts'
import { watchDeliveries } from './watchDeliveries.ts'

/** The routes of the web console beside those of the services and of provisioning. */
export const consoleRoutes: readonly Route[] = [
  createSignInLink,
  createSession,
  getSession,
  deleteSession,
  deleteSessions,
  getPreferences,
  updatePreferences,
  listWebhookSummaries,
  getWebhookSummary,
  getOverview,
  getStats,
  getRules,
  getService,
  checkUrl,
  listEventTypes,
  listSamples,
  watchDeliveries,
]
