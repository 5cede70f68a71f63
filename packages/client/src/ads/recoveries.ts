import { unwrap } from '../connection/answer.ts'
import type { Sleep } from '../connection/settings.ts'
import type { operations } from '../generated/ads.ts'
import { bodyFor, type PostOptions, type RequestOptions, requestInit } from '../resources/operations.ts'
import { progress, type WatchOptions } from '../resources/progress.ts'
import type { AdsApi, AdsRecovery, AdsRecoveryFilter, AdsRecoveryPreview } from './types.ts'

/** Recoveries: what an endpoint did not get is sent to it again. */
export function adsRecoveries(api: AdsApi, sleep: Sleep) {
  /** @returns a preview or a recovery, as `dryRun` says */
  function request(webhookId: string, filter: AdsRecoveryFilter, dryRun: boolean, options: PostOptions) {
    const params = { path: { id: webhookId } }
    const body = bodyFor<operations['recoverAdsWebhook']>({ ...filter, dryRun })
    return unwrap(api.POST('/api/v1/webhooks/{id}/recover', { params, body, ...requestInit(options) }))
  }

  function get(id: string, options: RequestOptions = {}): Promise<AdsRecovery> {
    const params = { path: { id } }
    return unwrap(api.GET('/api/v1/webhook-deliveries/recoveries/{id}', { params, ...requestInit(options) }))
  }

  const { watch, wait } = progress(
    ([id]: readonly [string], options) => get(id, options),
    ({ status }) => status !== 'running',
    sleep,
  )

  return {
    /** What would be sent again, and what cannot be. */
    async preview(
      webhookId: string,
      filter: AdsRecoveryFilter,
      options: RequestOptions = {},
    ): Promise<AdsRecoveryPreview> {
      return (await request(webhookId, filter, true, options)) as AdsRecoveryPreview
    },

    /** Begins to send again what matches, under the same ids and with the same bytes. Resolves when it has begun. */
    async start(
      webhookId: string,
      filter: AdsRecoveryFilter,
      options: PostOptions = {},
    ): Promise<AdsRecovery> {
      return (await request(webhookId, filter, false, options)) as AdsRecovery
    },

    get,

    /** What it has not sent yet stays as it is. */
    cancel(id: string, options: RequestOptions = {}): Promise<AdsRecovery> {
      const params = { path: { id } }
      return unwrap(
        api.DELETE('/api/v1/webhook-deliveries/recoveries/{id}', { params, ...requestInit(options) }),
      )
    },

    /** How far a recovery is, again and again, for the last time when it is over. */
    watch: (id: string, options: WatchOptions = {}) => watch([id], options),

    /** Resolves when a recovery is done or canceled. */
    wait: (id: string, options: WatchOptions = {}) => wait([id], options),
  }
}
