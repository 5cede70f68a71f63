import { unwrap } from '../connection/answer.ts'
import type { Sleep } from '../connection/settings.ts'
import { type PostOptions, type RequestOptions, requestInit } from '../resources/operations.ts'
import { progress, type WatchOptions } from '../resources/progress.ts'
import type { AdsApi, AdsReplay, AdsReplayFilter, AdsReplayPreview } from './types.ts'

/** Begins to replay what matches. */
export async function startReplay(
  api: AdsApi,
  filter: AdsReplayFilter,
  options: PostOptions,
): Promise<AdsReplay> {
  return (await requestReplay(api, filter, false, options)) as AdsReplay
}

/** @returns a preview or a replay, as `dryRun` says */
function requestReplay(api: AdsApi, filter: AdsReplayFilter, dryRun: boolean, options: PostOptions) {
  const body = { ...filter, dryRun }
  return unwrap(api.POST('/api/v1/webhook-deliveries/replay', { body, ...requestInit(options) }))
}

/** Replays of many deliveries that were begun with `deliveries.replayMany`. */
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

    /** How far a replay is, again and again, for the last time when it is finished. */
    watch: (id: string, options: WatchOptions = {}) => watch([id], options),

    /** Resolves when a replay is finished: everything that matched is pending again. */
    wait: (id: string, options: WatchOptions = {}) => wait([id], options),
  }
}
