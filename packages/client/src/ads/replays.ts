import { unwrap } from '../connection/answer.ts'
import type { Sleep } from '../connection/settings.ts'
import { type PostOptions, type RequestOptions, requestInit } from '../resources/operations.ts'
import { progress, type WatchOptions } from '../resources/progress.ts'
import type { AdsApi, AdsReplay, AdsReplayFilter, AdsReplayPreview } from './types.ts'

/** Starts to replay all matches. */
export async function startReplay(
  api: AdsApi,
  filter: AdsReplayFilter,
  options: PostOptions,
): Promise<AdsReplay> {
  return (await requestReplay(api, filter, false, options)) as AdsReplay
}

/** @returns a preview or a replay, depending on `dryRun` */
function requestReplay(api: AdsApi, filter: AdsReplayFilter, dryRun: boolean, options: PostOptions) {
  const body = { ...filter, dryRun }
  return unwrap(api.POST('/api/v1/webhook-deliveries/replay', { body, ...requestInit(options) }))
}

/** Bulk replays, which `deliveries.replayMany` starts. */
export function adsReplays(api: AdsApi, sleep: Sleep) {
  function get(id: string, options: RequestOptions = {}): Promise<AdsReplay> {
    const params = { path: { id } }
    return unwrap(api.GET('/api/v1/webhook-deliveries/replays/{id}', { params, ...requestInit(options) }))
  }

  const { watch, wait } = progress(
    ([id]: readonly [string], options) => get(id, options),
    ({ status }) => status === 'finished',
    sleep,
  )

  return {
    /** How many deliveries would be replayed. */
    async preview(filter: AdsReplayFilter, options: RequestOptions = {}): Promise<AdsReplayPreview> {
      return (await requestReplay(api, filter, true, options)) as AdsReplayPreview
    },

    get,

    /** Yields the progress of a replay repeatedly, for the last time when it is finished. */
    watch: (id: string, options: WatchOptions = {}) => watch([id], options),

    /** Resolves when a replay is finished: all matches are pending again. */
    wait: (id: string, options: WatchOptions = {}) => wait([id], options),
  }
}
