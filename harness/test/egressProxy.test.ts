import { once } from 'node:events'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ScriptedReceiver } from '../src/receivers/scriptedReceiver.ts'
import { EVENTS } from '../src/support/events.ts'
import { type PosthornProcess, startService } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { eventually } from '../src/support/waiting.ts'
import { createWorkspace } from '../src/support/workspaces.ts'

let directory: string
let receiver: ScriptedReceiver
let proxy: Proxy
let service: PosthornProcess | null

beforeEach(async () => {
  directory = makeDirectory()
  receiver = await ScriptedReceiver.start()
  proxy = await startProxy(receiverPort())
  service = null
})

afterEach(async () => {
  await Promise.all([service?.kill(), receiver.stop(), proxy.stop()])
  removeDirectory(directory)
})

const receiverPort = () => new URL(receiver.urlOf('/hook')).port

interface Proxy {
  readonly url: string
  /** Requested targets. */
  readonly targets: readonly string[]
  stop(): Promise<void>
}

/** Connects to one port of this machine, whatever the target. */
async function startProxy(port: string): Promise<Proxy> {
  const targets: string[] = []
  const sockets = new Set<net.Socket>()
  const server = http.createServer()
  server.on('connection', (socket) => void sockets.add(socket.on('error', () => {})))
  server.on('connect', ({ url }, client: net.Socket) => {
    targets.push(url ?? '')
    const upstream = net.connect(Number(port), '127.0.0.1')
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

test.each([
  ['names, by default', {}, /^localhost:\d+$/],
  ['addresses', { POSTHORN_EGRESS_PROXY_RESOLVE: 'local' }, /^(127\.0\.0\.1|\[::1\]):\d+$/],
])('a forward proxy gets %s, and the receiver its name', async (_, settings, target) => {
  service = await startService({
    dataDir: path.join(directory, 'data'),
    settings: { POSTHORN_EGRESS_PROXY: proxy.url, POSTHORN_EGRESS_ALLOW: 'localhost', ...settings },
  })
  const { common, make } = EVENTS.content
  const workspace = await createWorkspace(() => service!.url, 'content', 'proxied')
  const { id, secret } = await workspace.createWebhook(`http://localhost:${receiverPort()}/hook`, [common])
  await receiver.add({
    path: '/hook',
    scheme: workspace.scheme,
    secrets: [secret],
    behavior: { kind: 'prompt' },
  })
  await workspace.publish([make(common)])
  await eventually(async () => ((await workspace.deliveries(id))[0]?.status === 'delivered' ? true : null), {
    withinMs: 10_000,
    what: 'delivery',
  })
  expect(proxy.targets).toEqual([expect.stringMatching(target)])
})
