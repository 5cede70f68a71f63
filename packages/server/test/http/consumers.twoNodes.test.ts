import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SECOND_MS } from '../../src/core/duration.ts'
import { TwoNodes } from '../storage/postgres/twoNodes.ts'
import { openClient, SERVICES } from './client.ts'
import { callsOf, idsOf, openConsumer, openStream } from './consumers.ts'
import { startTestService, type TestService } from './service.ts'

let store: TwoNodes
let near: TestService
let far: TestService
beforeAll(async () => {
  store = await TwoNodes.open()
  const [first, second] = store.stores
  near = await startTestService(undefined, { store: first })
  far = await startTestService(undefined, { store: second })
})
afterAll(async () => {
  await near.stop()
  await far.stop()
  await store.close()
})

/** An event published on one node reaches the readers of another within a second. */
const PROMPT_MS = 5 * SECOND_MS

describe.each(SERVICES)('consumers of %s that are read on another node', (name) => {
  /** A consumer, and the same workspace on the far node. */
  async function open() {
    const here = await openConsumer(near, name)
    const client = await openClient(far, name, here.client.ws)
    const stream = () =>
      openStream(far, `${client.root}${here.path}/stream`, { authorization: `Bearer ${client.ws.key}` })
    return { here, there: callsOf(client, 'crm'), stream }
  }

  it('soon get published events, by waiting and by a stream', async () => {
    const { here, there, stream } = await open()
    const [reading, opened] = [there.read('wait=30'), await stream()]
    const beganAt = performance.now()
    const id = await here.client.publish()
    expect(idsOf(await reading)).toEqual([id])
    expect((await opened.next()).data.id).toBe(id)
    expect(performance.now() - beganAt).toBeLessThan(PROMPT_MS)
    opened.close()
  })

  it('are acknowledged there, also for readers here', async () => {
    const { here, there } = await open()
    await here.client.publish()
    const { ack } = await there.read('wait=30')
    expect((await there.acknowledge(ack)).json).toEqual({ moved: true })
    expect((await here.acknowledge(ack)).json).toEqual({ moved: false })
    expect(idsOf(await here.read())).toEqual([])
  })

  it('end their streams when they are moved or deleted here, and earlier events cannot be acknowledged', async () => {
    const { here, there, stream } = await open()
    await here.client.publish()
    const moved = await stream()
    const { id: before } = await moved.next()
    await here.seek({ start: 'oldest' })
    await moved.ended
    expect((await there.acknowledge(before)).json.code).toBe('acknowledgement_outdated')
    const deleted = await stream()
    await here.client.call('DELETE', here.path)
    await deleted.ended
  })
})
