import type { OperationalApi, OperationalWebhook } from '../model/operational.ts'
import { camelKeys } from './camelKeys.ts'
import type { ServiceApi } from './serviceApi.ts'

const PATH = 'operational-webhook'

/** Omits all other members: a response may contain a signing secret. */
function webhookOf(json: unknown): OperationalWebhook {
  const { id, url, events, failingSince } = camelKeys(json as OperationalWebhook)
  return { id, url, events, failingSince }
}

const made = (json: unknown) => ({
  webhook: webhookOf(json),
  secret: camelKeys(json as { readonly signingSecret: string | null }).signingSecret,
})

/** @param key for cache keys */
export function operationalApi({ call }: ServiceApi, key: string): OperationalApi {
  return {
    key,
    async get(signal) {
      const { json } = await call('GET', [PATH], { signal })
      const { webhook } = json as { readonly webhook: object | null }
      return webhook === null ? null : webhookOf(webhook)
    },
    async create(body, idempotencyKey) {
      const headers = { 'idempotency-key': idempotencyKey }
      return made((await call('POST', [PATH], { body, headers })).json)
    },
    async update(body) {
      return webhookOf((await call('PATCH', [PATH], { body })).json)
    },
    async remove() {
      await call('DELETE', [PATH])
    },
    async rotate(idempotencyKey) {
      const headers = { 'idempotency-key': idempotencyKey }
      return made((await call('POST', [PATH, 'rotate-secret'], { headers })).json)
    },
    async test() {
      await call('POST', [PATH, 'test'])
    },
  }
}
