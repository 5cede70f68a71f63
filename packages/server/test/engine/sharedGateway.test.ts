import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Webhook } from '../../src/storage/rows.ts'
import { type LoopbackServer, serveTcp } from '../egress/loopback.ts'
import { ManualClock } from '../support/manualClock.ts'
import { BY, startTestEngine, type TestEngine } from '../support/testEngine.ts'
import { until } from '../support/until.ts'

const TYPE = 'version.approved'
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
const GONE = 'HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n'
const BROKEN = 'HTTP/1.1 500 Broken\r\nContent-Length: 6\r\n\r\nbroken'
const REQUEST = /^POST \/(\w+) [\s\S]*?content-length: (\d+)\r\n\r\n/

let clock: ManualClock
let service: TestEngine
let gateway: LoopbackServer
/** The requested paths of each connection. */
let asked: Map<Socket, string[]>

beforeEach(async () => {
  clock = new ManualClock(Date.now())
  service = await startTestEngine({ clock })
  asked = new Map()
})

afterEach(async () => {
  await service.stop()
  await gateway.close()
})

/**
 * Receivers of several customers behind one address. An attacker's path adds another answer once the next
 * request arrives on the connection that carried one of its own.
 * @param late the answer that it adds
 * @param answerTo the answer to the next request, after that
 */
async function startGateway(late: string, answerTo: (path: string) => string): Promise<void> {
  gateway = await serveTcp((socket) => {
    const paths: string[] = []
    asked.set(socket, paths)
    socket.setNoDelay(true)
    let seen = ''
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1')
      for (let match = REQUEST.exec(seen); match !== null; match = REQUEST.exec(seen)) {
        const [head, path, length] = match
        if (seen.length < head.length + Number(length)) return
        seen = seen.slice(head.length + Number(length))
        if (paths.at(-1) === 'attacker') socket.write(late)
        paths.push(path!)
        socket.write(answerTo(path!))
      }
    })
  })
}

const urlOf = (path: string) => `http://127.0.0.1:${gateway.port}/${path}`
const records = (count: number) => until(clock, `record ${count}`, () => service.recorded() >= count)

/** One event to each of the two, in turn, twice. */
async function publishInTurn(...publish: readonly (() => Promise<unknown>)[]): Promise<void> {
  const before = service.recorded()
  for (let round = 0, recorded = before; round < 2; round++) {
    for (const each of publish) {
      await each()
      recorded += 1
      await records(recorded)
    }
  }
}

const pathsByConnection = () => [...asked.values()].map((paths) => [...new Set(paths)])

async function statusCodesOf(webhook: Webhook): Promise<(number | null)[]> {
  return (await service.deliveriesOf(webhook)).map(({ attempts }) => attempts.at(-1)?.statusCode ?? null)
}

describe("an attacker's late answer behind a shared gateway", () => {
  it.each([
    ['a 200', OK],
    ['a 410', GONE],
  ])('reaches no delivery of another workspace: %s', async (_, late) => {
    await startGateway(late, (path) => (path === 'attacker' ? OK : BROKEN))
    const attacker = await service.createWorkspace('content')
    const victim = await service.createWorkspace('content')
    await service.createWebhook(attacker, urlOf('attacker'), [TYPE])
    const webhook = await service.createWebhook(victim, urlOf('victim'), [TYPE])
    await publishInTurn(
      () => service.publish(attacker),
      () => service.publish(victim),
    )
    expect(await statusCodesOf(webhook)).toEqual([500, 500])
    expect(pathsByConnection().toSorted()).toEqual([['attacker'], ['victim']])
    expect(
      await service.storage.getWebhook({ workspaceId: victim.id, publicId: webhook.publicId }),
    ).toMatchObject({ status: 'on' })
  })

  it('reaches no delivery of another endpoint of its own workspace', async () => {
    await startGateway(OK, (path) => (path === 'attacker' ? OK : BROKEN))
    const workspace = await service.createWorkspace('content')
    await service.createWebhook(workspace, urlOf('attacker'), [TYPE])
    const webhook = await service.createWebhook(workspace, urlOf('victim'), ['version.rejected'])
    await publishInTurn(
      () => service.publish(workspace),
      () => service.publish(workspace, { type: 'version.rejected' }),
    )
    expect(await statusCodesOf(webhook)).toEqual([500, 500])
    expect(pathsByConnection().toSorted()).toEqual([['attacker'], ['victim']])
  })

  it("reaches no delivery to its webhook's new URL", async () => {
    await startGateway(OK, (path) => (path === 'attacker' ? OK : BROKEN))
    const workspace = await service.createWorkspace('content')
    const webhook = await service.createWebhook(workspace, urlOf('attacker'), [TYPE])
    await service.publish(workspace)
    await records(1)
    await service.engine.updateWebhook(workspace, webhook, { url: urlOf('moved') }, null, BY)
    await service.publish(workspace)
    await records(2)
    expect((await statusCodesOf(webhook)).toSorted()).toEqual([200, 500])
    expect(pathsByConnection().toSorted()).toEqual([['attacker'], ['moved']])
  })
})
