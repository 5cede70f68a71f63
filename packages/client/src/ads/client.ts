import { connect } from '../connection/connect.ts'
import type { ConnectionOptions } from '../connection/settings.ts'
import { adsConsumers } from './consumers.ts'
import { adsEvents, adsPublishing } from './events.ts'
import { adsAuditLog, adsDeliveries } from './log.ts'
import { adsOperationalWebhook } from './operational.ts'
import { adsRecoveries } from './recoveries.ts'
import { adsReplays } from './replays.ts'
import type { AdsApi, AdsPaths } from './types.ts'
import { webhooks } from './webhooks.ts'

export interface AdsClientOptions extends ConnectionOptions {
  /** A key of the workspace, `phk_…`, or a member's session token. It determines the workspace. */
  readonly apiKey: string
}

/** Everything that a key can do in its workspace of the advertising platform. */
export interface AdsClient extends ReturnType<typeof adsPublishing> {
  /** Every operation of the API, typed by its document; see openapi-fetch. */
  readonly api: AdsApi
  readonly events: ReturnType<typeof adsEvents>
  readonly consumers: ReturnType<typeof adsConsumers>
  readonly webhooks: ReturnType<typeof webhooks>
  readonly deliveries: ReturnType<typeof adsDeliveries>
  readonly recoveries: ReturnType<typeof adsRecoveries>
  readonly replays: ReturnType<typeof adsReplays>
  readonly operationalWebhook: ReturnType<typeof adsOperationalWebhook>
  readonly auditLog: ReturnType<typeof adsAuditLog>
}

/** @throws TypeError when an option cannot work */
export function createAdsClient(options: AdsClientOptions): AdsClient {
  const { apiKey, ...connection } = options
  const { api, sleep, surroundings } = connect<AdsPaths>(connection, { name: 'apiKey', value: apiKey })
  return {
    api,
    ...adsPublishing(api),
    events: adsEvents(api),
    consumers: adsConsumers(api, surroundings),
    webhooks: webhooks(api),
    deliveries: adsDeliveries(api),
    recoveries: adsRecoveries(api, sleep),
    replays: adsReplays(api, sleep),
    operationalWebhook: adsOperationalWebhook(api),
    auditLog: adsAuditLog(api),
  }
}
