import { unwrap } from '../connection/answer.ts'
import type { Sleep } from '../connection/settings.ts'
import type { operations } from '../generated/content.ts'
import { bodyFor, type PostOptions, type RequestOptions, requestInit } from '../resources/operations.ts'
import { progress, type WatchOptions } from '../resources/progress.ts'
import type { ContentApi, ContentRecovery, ContentRecoveryFilter, ContentRecoveryPreview } from './types.ts'

/** Recoveries: send a webhook the events again that it did not get. */
export function contentRecoveries(api: ContentApi, ws: string, sleep: Sleep) {
  /** @returns a preview or a recovery, depending on `dryRun` */
  function request(webhookId: string, filter: ContentRecoveryFilter, dryRun: boolean, options: PostOptions) {
    const params = { path: { ws, id: webhookId } }
    const body = bodyFor<operations['recoverContentWebhook']>({ ...filter, dry_run: dryRun })
    return unwrap(
      api.POST('/v1/workspaces/{ws}/webhooks/{id}/recover', { params, body, ...requestInit(options) }),
    )
  }

  function get(webhookId: string, id: string, options: RequestOptions = {}): Promise<ContentRecovery> {
    const params = { path: { ws, id: webhookId, rid: id } }
    return unwrap(
      api.GET('/v1/workspaces/{ws}/webhooks/{id}/recoveries/{rid}', { params, ...requestInit(options) }),
    )
  }

  const { watch, wait } = progress(
    ([webhookId, id]: readonly [string, string], options) => get(webhookId, id, options),
    ({ status }) => status !== 'running',
    sleep,
  )

  return {
    /** What would be sent again, and what cannot be. */
    async preview(
      webhookId: string,
      filter: ContentRecoveryFilter,
      options: RequestOptions = {},
    ): Promise<ContentRecoveryPreview> {
      return (await request(webhookId, filter, true, options)) as ContentRecoveryPreview
    },

    /** Starts to send all matches again, with the same ids and bytes. Resolves when the recovery has started. */
    async start(
      webhookId: string,
      filter: ContentRecoveryFilter,
      options: PostOptions = {},
    ): Promise<ContentRecovery> {
      return (await request(webhookId, filter, false, options)) as ContentRecovery
    },

    get,

    /** Deliveries that it has not sent yet stay as they are. */
    cancel(webhookId: string, id: string, options: RequestOptions = {}): Promise<ContentRecovery> {
      const params = { path: { ws, id: webhookId, rid: id } }
      return unwrap(
        api.DELETE('/v1/workspaces/{ws}/webhooks/{id}/recoveries/{rid}', { params, ...requestInit(options) }),
      )
    },

    /** Yields the progress of a recovery repeatedly, for the last time when it is over. */
    watch: (webhookId: string, id: string, options: WatchOptions = {}) => watch([webhookId, id], options),

    /** Resolves when a recovery is done or canceled. */
    wait: (webhookId: string, id: string, options: WatchOptions = {}) => wait([webhookId, id], options),
  }
}
