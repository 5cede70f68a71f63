import {
  type AdsClient,
  type ConnectionOptions,
  type ContentClient,
  type ContentEventToPublish,
  createAdsClient,
  createContentClient,
} from '../../src/index.ts'

export const API_KEY = 'phk_test'

/** A client that never waits, and the waits that it would have made. */
export function contentClient(
  baseUrl: string,
  options: Partial<ConnectionOptions> = {},
): { readonly client: ContentClient; readonly waitsMs: readonly number[] } {
  const waitsMs: number[] = []
  const client = createContentClient({
    baseUrl,
    apiKey: API_KEY,
    workspace: 'acme',
    random: () => 0.5,
    sleep: async (ms) => {
      waitsMs.push(ms)
    },
    ...options,
  })
  return { client, waitsMs }
}

export const adsClient = (baseUrl: string, options: Partial<ConnectionOptions> = {}): AdsClient =>
  createAdsClient({ baseUrl, apiKey: API_KEY, sleep: async () => undefined, ...options })

export const EVENT = {
  type: 'version.approved',
  data: {
    generation: { id: 'gen_1', kind: 'article', title: 'Zażółć gęślą jaźń', content_id: 'cnt_1' },
    version_id: 'ver_1',
    decided_by: 'usr_1',
    via: 'person',
  },
} as const satisfies ContentEventToPublish

/** The rejection of a promise. @throws Error when it was not rejected */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => ({ resolved: true }) as const,
    (reason: unknown) => ({ resolved: false, reason }) as const,
  )
  if (outcome.resolved) throw new Error('it was not rejected')
  return outcome.reason
}
