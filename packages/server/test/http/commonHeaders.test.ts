import { afterAll, beforeAll, expect, it } from 'vitest'
import { addMemberWith, browserOf, newAddress, openBrowser, signedIn } from './people.ts'
import { ADMIN_TOKEN, type Call, startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

const OFF_MS = 7 * 60_000

it('sessions get the time of the service, and keys do not', async () => {
  const ws = await service.workspace('content')
  const email = newAddress()
  await addMemberWith(service, ws.id, 'viewer', email)
  const { token } = await signedIn(service, ws.id, 'owner')
  service.clock.forwardCalendar(OFF_MS)
  const ask = async (url: string, shown: Pick<Call, 'key' | 'headers'>) => {
    const { status, headers } = await service.call({ method: 'GET', url, ...shown })
    expect(status).toBe(200)
    return headers['posthorn-time']
  }
  const webhooks = `/v1/workspaces/${ws.id}/webhooks`
  const operator = (await openBrowser(service, ADMIN_TOKEN)).cookie
  for (const time of [
    await ask(webhooks, { key: token }),
    await ask(webhooks, { headers: { cookie: await browserOf(service, email) } }),
    await ask('/admin/v1/workspaces', { headers: { cookie: operator } }),
  ]) {
    expect(time).toMatch(/^\d+$/)
    expect(Math.abs(Number(time) - service.clock.now())).toBeLessThan(OFF_MS / 2)
  }
  expect(await ask(webhooks, { key: ws.key })).toBeUndefined()
  expect(await ask('/admin/v1/workspaces', { key: ADMIN_TOKEN })).toBeUndefined()
})
