import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { openClient } from './client.ts'
import { type LiveStream, watch } from './live.ts'
import { addMember, addOperator, browserOf, newAddress, signedIn, signIn } from './people.ts'
import { startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  // Nothing is ever due here: streams must not end because of the periodic check.
  const clock = { ...systemClock, after: () => ({ cancel() {} }) }
  service = await startTestService(() => ({ clock }))
})
afterAll(() => service.stop())

const workspace = async () => (await openClient(service, 'content')).ws

async function open(slug: string, by: Parameters<typeof watch>[2]): Promise<LiveStream> {
  const stream = await watch(service, slug, by)
  onTestFinished(() => stream.close())
  return stream
}

const refusal = async (slug: string, key: string) => {
  const url = `/console/v1/workspaces/${slug}/deliveries/live`
  const { status, json } = await service.call({ method: 'GET', url, key })
  return [status, json.code, json.detail]
}

it('a member has a limited number of streams, however many sessions', async () => {
  const ws = await workspace()
  const memberId = await addMember(service, ws.id, 'viewer')
  for (let i = 0; i < 15; i++) await open(ws.slug, (await signIn(service, ws.id, memberId)).token)
  const { token } = await signIn(service, ws.id, memberId)
  expect(await refusal(ws.slug, token)).toEqual([
    429,
    'too_many_streams',
    'One person can have at most 15 streams at a time on a node. Close one first.',
  ])
  await open(ws.slug, (await signedIn(service, ws.id, 'viewer')).token)
})

it('a workspace has a limited number of streams, and others have theirs', async () => {
  const ws = await workspace()
  for (let i = 0; i < 20; i++) {
    const { token } = await signedIn(service, ws.id, 'viewer')
    for (let j = 0; j < 5; j++) await open(ws.slug, token)
  }
  const { token } = await signedIn(service, ws.id, 'viewer')
  expect(await refusal(ws.slug, token)).toEqual([
    429,
    'too_many_streams',
    'A workspace can have at most 100 streams at a time on a node. Close one first, or ask the operator to raise POSTHORN_MAX_STREAMS_PER_WORKSPACE.',
  ])
  const other = await workspace()
  await open(other.slug, (await signedIn(service, other.id, 'viewer')).token)
})

it('streams of a removed member end at once, and those of others continue', async () => {
  const ws = await workspace()
  const [gone, stays] = [await signedIn(service, ws.id, 'viewer'), await signedIn(service, ws.id, 'viewer')]
  const stream = await open(ws.slug, gone.token)
  let ended = false
  void (await open(ws.slug, stays.token)).ended.then(() => {
    ended = true
  })
  expect((await service.admin('DELETE', `/workspaces/${ws.id}/members/${gone.memberId}`)).status).toBe(204)
  await stream.ended
  expect(ended).toBe(false)
})

it('streams of a removed operator end at once', async () => {
  const ws = await workspace()
  const email = newAddress()
  const id = await addOperator(service, email)
  const stream = await open(ws.slug, { cookie: await browserOf(service, email) })
  expect((await service.admin('DELETE', `/operators/${id}`)).status).toBe(204)
  await stream.ended
})
