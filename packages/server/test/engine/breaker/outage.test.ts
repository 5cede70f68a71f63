import { once } from 'node:events'
import http from 'node:http'
import net, { type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { probeTarget } from '../../../src/cli/egressSettings.ts'
import { HOUR_MS } from '../../../src/core/duration.ts'
import { parseEgressRules } from '../../../src/core/targets/index.ts'
import { type EgressAgentOptions, type Target, Trust } from '../../../src/engine/egress/index.ts'
import type { Webhook, Workspace } from '../../../src/storage/rows.ts'
import { serveDns } from '../../egress/dnsServer.ts'
import { serveHttps } from '../../egress/loopback.ts'
import { authority, identity, NAME } from '../../egress/proxies.ts'
import { ManualClock } from '../../support/manualClock.ts'
import { startReceiver, type TestReceiver } from '../../support/receiver.ts'
import { startTestEngine, type TestEngine } from '../../support/testEngine.ts'
import { TEST_STORES } from '../../support/testStore.ts'
import { until } from '../../support/until.ts'

/** An egress that a test breaks and restores. */
interface WayOut {
  readonly egress: Partial<EgressAgentOptions>
  /** With only one receiver, a proxy that rejects us might be about that receiver. */
  readonly probe?: { readonly egressProbe: Target }
  /** Of a receiver that can be reached through it. */
  readonly url: string
  break(): Promise<void>
  restore(): Promise<void>
  close(): Promise<void>
}

/** A forward proxy that dies, or rejects every CONNECT. */
async function proxied(receiver: TestReceiver, answer: 'nothing' | number): Promise<WayOut> {
  const sockets = new Set<Socket>()
  let broken = false
  const server = http.createServer()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('connect', ({ url }: http.IncomingMessage, client: Socket) => {
    if (broken) {
      client.end(`HTTP/1.1 ${answer} No\r\nContent-Length: 0\r\n\r\n`)
      return
    }
    const [hostname, port] = url!.split(':')
    const upstream = net.connect(Number(port), hostname)
    upstream.on('error', () => client.destroy())
    client.once('close', () => upstream.destroy())
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const drop = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    egress: { proxy: `http://127.0.0.1:${port}` },
    probe: { egressProbe: probeTarget(new URL(receiver.url).host) },
    url: receiver.url,
    async break() {
      broken = true
      if (answer === 'nothing') server.close()
      drop()
    },
    async restore() {
      broken = false
      if (answer !== 'nothing') return
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    async close() {
      drop()
      server.close()
    },
  }
}

/** A name server that dies, and a receiver that has a name. */
async function named(): Promise<WayOut> {
  const https = await serveHttps(identity, (request, response) => {
    request.resume()
    // Each request resolves the name again.
    response.setHeader('connection', 'close')
    response.writeHead(204).end()
  })
  const answerTo = ({ type }: { readonly type: string }) => (type === 'A' ? ['127.0.0.1'] : [])
  let dns = await serveDns(answerTo)
  const { address } = dns
  return {
    egress: {
      rules: parseEgressRules({ allow: '127.0.0.1/32', ports: String(https.port) }),
      nameServers: [address],
      trust: new Trust(authority.cert),
    },
    url: `https://${NAME}:${https.port}/in`,
    break: () => dns.close(),
    async restore() {
      dns = await serveDns(answerTo, Number(address.split(':')[1]))
    },
    async close() {
      await dns.close()
      await https.close()
    },
  }
}

const WAYS: Readonly<Record<string, (receiver: TestReceiver) => Promise<WayOut>>> = {
  'the forward proxy is dead': (receiver) => proxied(receiver, 'nothing'),
  'the forward proxy refuses the password': (receiver) => proxied(receiver, 407),
  'no name server can be asked': () => named(),
}

describe.each(TEST_STORES)('on %s', (_, open) => {
  describe.each(Object.entries(WAYS))('while %s', (__, openWay) => {
    let clock: ManualClock
    let receiver: TestReceiver
    let way: WayOut
    let service: TestEngine
    let workspace: Workspace
    let webhook: Webhook

    beforeEach(async () => {
      clock = new ManualClock()
      receiver = await startReceiver(204)
      way = await openWay(receiver)
      // One at a time, so that others wait in memory.
      const limits = { maxInFlight: 512, maxInFlightPerWebhook: 1 }
      const store = await open(clock)
      service = await startTestEngine({ clock, egress: way.egress, ...way.probe, limits, store })
      workspace = await service.createWorkspace('content')
      webhook = await service.createWebhook(workspace, way.url, [])
    })

    afterEach(async () => {
      await service.stop()
      await way.close()
      await receiver.close()
    })

    const statuses = async () => (await service.deliveriesOf(webhook)).map(({ status }) => status)
    const reread = () => service.storage.getWebhook({ workspaceId: workspace.id, publicId: webhook.publicId })

    test('deliveries in memory go back to the store, so that other nodes may send them', async () => {
      await service.publish(workspace)
      await until(clock, 'the first delivery', async () => (await statuses())[0] === 'delivered')
      await way.break()
      for (let i = 0; i < 3; i++) await service.publish(workspace)
      const { nodeId } = await service.storage.registerNode({ leaseMs: HOUR_MS })
      const leased = new Set<number>()
      await until(clock, 'others to lease all three', async () => {
        const { deliveries } = await service.storage.claimDue({
          nodeId,
          now: clock.now(),
          limit: 10,
          perWebhook: 10,
          except: [],
          exceptWorkspaces: [],
          afterWebhookId: 0,
        })
        for (const { id } of deliveries) leased.add(id)
        return leased.size === 3
      })
      expect(service.engine.egress.heldSince).not.toBeNull()
    })

    test('no attempt is used up, no receiver is blamed, and all deliveries are sent once it is over', async () => {
      await service.publish(workspace)
      await until(clock, 'the first delivery', async () => (await statuses())[0] === 'delivered')
      await way.break()
      await service.publish(workspace)
      await until(clock, 'sending to be held', () => service.engine.egress.heldSince !== null)
      for (let i = 0; i < 5; i++) await service.publish(workspace)
      const heldFor = clock.monotonic() + 3_000
      await until(clock, 'some probes', () => clock.monotonic() >= heldFor)
      const waiting = (await service.deliveriesOf(webhook)).slice(0, 6)
      expect(waiting.map(({ status, attempts }) => [status, attempts.length])).toEqual(
        Array.from({ length: 6 }, () => ['pending', 0]),
      )
      expect(await reread()).toMatchObject({ status: 'on', failingSince: null })
      expect(service.warnings.list()).toMatchObject([{ code: 'sending_held' }])
      expect(service.complaints.map(({ message }) => message).join()).toMatch(/^Sending is on hold/)

      await way.restore()
      await until(clock, 'all deliveries', async () =>
        (await statuses()).every((status) => status === 'delivered'),
      )
      expect(service.engine.egress.heldSince).toBeNull()
      expect(service.warnings.list()).toEqual([])
      for (const { attempts } of await service.deliveriesOf(webhook)) expect(attempts).toHaveLength(1)
      expect(await reread()).toMatchObject({ status: 'on', failingSince: null })
    })
  })
})
