import { checkPathValue, connect } from '../connection/connect.ts'
import type { ConnectionOptions } from '../connection/settings.ts'
import { contentConsumers } from './consumers.ts'
import { contentEvents, contentPublishing } from './events.ts'
import { contentAuditLog, contentDeliveries } from './log.ts'
import { contentOperationalWebhook } from './operational.ts'
import { contentRecoveries } from './recoveries.ts'
import type { ContentApi, ContentPaths } from './types.ts'
import { contentWebhooks } from './webhooks.ts'

export interface ContentClientOptions extends ConnectionOptions {
  /** A key of the workspace, `phk_…`, or a member's session token. */
  readonly apiKey: string
  /** Slug or id. */
  readonly workspace: string
}

/** Everything that a key can do in one workspace of the content workflow service. */
export interface ContentClient extends ReturnType<typeof contentPublishing> {
  /** Every operation of the API, typed by its document; see openapi-fetch. */
  readonly api: ContentApi
  readonly events: ReturnType<typeof contentEvents>
  readonly consumers: ReturnType<typeof contentConsumers>
  readonly webhooks: ReturnType<typeof contentWebhooks>
  readonly deliveries: ReturnType<typeof contentDeliveries>
  readonly recoveries: ReturnType<typeof contentRecoveries>
  readonly operationalWebhook: ReturnType<typeof contentOperationalWebhook>
  readonly auditLog: ReturnType<typeof contentAuditLog>
}

/** @throws TypeError when an option cannot work */
export function createContentClient(options: ContentClientOptions): ContentClient {
  const { apiKey, workspace, ...connection } = options
  checkPathValue('workspace', workspace)
  const { api, sleep, surroundings } = connect<ContentPaths>(connection, { name: 'apiKey', value: apiKey })
  return {
    api,
    ...contentPublishing(api, workspace),
    events: contentEvents(api, workspace),
    consumers: contentConsumers(api, workspace, surroundings),
    webhooks: contentWebhooks(api, workspace),
    deliveries: contentDeliveries(api, workspace),
    recoveries: contentRecoveries(api, workspace, sleep),
    operationalWebhook: contentOperationalWebhook(api, workspace),
    auditLog: contentAuditLog(api, workspace),
  }
}
