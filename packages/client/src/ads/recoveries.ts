import { unwrap } from '../connection/answer.ts'
import type { Sleep } from '../connection/settings.ts'
import type { operations } from '../generated/ads.ts'
import { bodyFor, type PostOptions, type RequestOptions, requestInit } from '../resources/operations.ts'
import { progress, type WatchOptions } from '../resources/progress.ts'
import type { AdsApi, AdsRecovery, AdsRecoveryFilter, AdsRecoveryPreview } from './types.ts'

/** Recoveries: send an endpoint the events again that it did not get. */
export function adsRecoveries(api: AdsApi, sleep: Sleep) {
  /** @returns a preview or a recovery, depending on `dryRun` */
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

    /** Starts to send all matches again, with the same ids and bytes. Resolves when the recovery has started. */
    async start(
      webhookId: string,
      filter: AdsRecoveryFilter,
      options: PostOptions = {},
    ): Promise<AdsRecovery> {
      return (await request(webhookId, filter, false, options)) as AdsRecovery
    },

    get,

    /** Deliveries that it has not sent yet stay as they are. */
    cancel(id: string, options: RequestOptions = {}): Promise<AdsRecovery> {
      const params = { path: { id } }
      return unwrap(
        api.DELETE('/api/v1/webhook-deliveries/recoveries/{id}', { params, ...requestInit(options) }),
      )
    },

    /** Yields the progress of a recovery repeatedly, for the last time when it is over. */
    watch: (id: string, options: WatchOptions = {}) => watch([id], options),

    /** Resolves when a recovery is done or canceled. */
    wait: (id: string, options: WatchOptions = {}) => wait([id], options),
  }
}
