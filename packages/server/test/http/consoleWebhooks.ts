import { expect } from 'vitest'
import type { Client, Json } from './client.ts'
import { signedIn } from './people.ts'
import type { TestService } from './service.ts'

/** The webhooks of a workspace in the console. Signed in each time, since tests move the clock by days. */
export async function webhooksInConsole(service: TestService, { ws }: Client) {
  const { token: key } = await signedIn(service, ws.id, 'viewer')
  const root = `/console/v1/workspaces/${ws.slug}`
  const get = (path: string) => service.call({ method: 'GET', url: root + path, key })
  return {
    get,
    async summaries(query = ''): Promise<Json[]> {
      const { status, json } = await get(`/webhook-summaries${query}`)
      expect(status).toBe(200)
      return json.data
    },
    async summary({ id }: { readonly id: string }): Promise<Json> {
      const { status, json } = await get(`/webhooks/${id}/summary`)
      expect(status).toBe(200)
      return json
    },
  }
}

/** Publishes events, and waits until their attempts are recorded. */
export async function publishAndWait(
  service: TestService,
  client: Client,
  { count = 1, type }: { readonly count?: number | undefined; readonly type?: string | undefined } = {},
): Promise<void> {
  for (let i = 0; i < count; i++) await client.publish(type)
  await service.recorded(count)
  await service.settled()
}
