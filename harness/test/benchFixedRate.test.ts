import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { acceptedBy, FixedRatePublisher, startMeasuringReceiver } from '../src/bench/measure/fixedRate.ts'
import { FullSpeedPublisher } from '../src/bench/measure/fullSpeedPublisher.ts'
import { onStage } from '../src/bench/stage/stage.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { eventually } from '../src/support/waiting.ts'

let dataParent: string
beforeEach(() => {
  dataParent = makeDirectory()
})
afterEach(() => removeDirectory(dataParent))

const GROUP = 'direct'
const STREAM = {
  group: GROUP,
  path: `/${GROUP}/0`,
  key: 'none',
  template: '{}',
  events: 1,
  requestsPerSecond: 0,
}

test.each([false, true])('a publisher reaches the receiver without a service (HTTPS: %s)', async (tls) => {
  await onStage({ store: 'sqlite', tls, dataParent }, async (stage) => {
    const { receiver, origin } = await startMeasuringReceiver(stage, { idsFile: null })
    await receiver.ask({ kind: 'behave', group: GROUP, behavior: { kind: 'status', status: 202 } }, 'done')
    const publisher = await FixedRatePublisher.start(stage, origin, [STREAM], null)
    publisher.once()
    expect(await acceptedBy(receiver, 1)).toMatchObject({ accepted: { [GROUP]: 1 } })
  })
})

test('a publisher with goesOn counts failed publishes', async () => {
  await onStage({ store: 'sqlite', tls: false, dataParent }, async (stage) => {
    const { receiver, origin } = await startMeasuringReceiver(stage, { idsFile: null })
    const answer = async (status: number) =>
      receiver.ask({ kind: 'behave', group: GROUP, behavior: { kind: 'status', status } }, 'done')
    const publisher = await FixedRatePublisher.start(stage, origin, [STREAM], null, true)
    let requests = 0
    for (const status of [429, 429, 503, 202]) {
      await answer(status)
      publisher.once()
      requests += 1
      await eventually(
        async () => ((await receiver.ask({ kind: 'report' }, 'report')).requests === requests ? true : null),
        { withinMs: 20_000, what: 'request' },
      )
    }
    expect(await publisher.finish()).toMatchObject({ acknowledged: 1, failed: { 429: 2, 503: 1 } })
  })
})

test('a full-speed publisher with goesOn publishes temporarily rejected batches again', async () => {
  let requests = 0
  const server = http.createServer((request, response) => {
    request.resume()
    request.once('end', () => {
      requests += 1
      if (requests === 1) response.writeHead(429, { 'retry-after': '0' }).end('{}')
      else
        response
          .writeHead(202)
          .end(JSON.stringify({ events: Array.from({ length: 500 }, () => ({ id: 'a' })) }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  await onStage({ store: 'sqlite', tls: false, dataParent }, async (stage) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const hook = { batchPath: '/batch', key: 'none', event: {} }
    const options = { idsFile: null, maxOutstanding: 500, goesOn: true }
    const publisher = FullSpeedPublisher.start(stage, [{ url }], [hook], options)
    await eventually(async () => ((await publisher.count()).acknowledged === 500 ? true : null), {
      withinMs: 20_000,
      what: 'publish',
    })
    expect(await publisher.finish()).toMatchObject({ acknowledged: 500, refused: 1 })
    expect(requests).toBe(2)
  })
})
