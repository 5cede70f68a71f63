import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { INDEPENDENT_SUBSCRIBERS } from '../src/subscribers/independent.ts'
import { Relay } from '../src/subscribers/relay.ts'
import { SIGNED_SERVICES } from '../src/subscribers/signing.ts'
import { Subscriber } from '../src/subscribers/subscriber.ts'
import { EVENTS } from '../src/support/events.ts'
import { freePort } from '../src/support/freePort.ts'
import { type PosthornProcess, startService } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { eventually } from '../src/support/waiting.ts'
import { createWorkspace } from '../src/support/workspaces.ts'
import { dose } from './dose.ts'

const DELIVERIES = 25
/** Includes installing and compiling. */
const TIMEOUT_MS = 900_000
/** The others must be compiled, or are large. */
const IN_EVERY_RUN = ['standardwebhooks for JavaScript', 'standardwebhooks for Python']
const SUBSCRIBERS = INDEPENDENT_SUBSCRIBERS.filter(({ name }) => dose(IN_EVERY_RUN.includes(name), true))

let directory: string
let service: PosthornProcess

beforeAll(async () => {
  directory = makeDirectory()
  service = await startService({ dataDir: path.join(directory, 'data') })
})

afterAll(async () => {
  await service.kill()
  removeDirectory(directory)
})

const isAccepted = ({ status }: { readonly status: number }) => status >= 200 && status < 300

test.for(SUBSCRIBERS)(
  '$name verifies live deliveries, and rejects altered copies of them',
  { timeout: TIMEOUT_MS },
  async (subscriber, { skip }) => {
    const missing = await subscriber.provide()
    skip(missing !== null, `${subscriber.name} is not tested: ${missing}`)
    const { dialect } = subscriber
    const { common, make } = EVENTS[dialect]
    const port = await freePort()
    const relay = await Relay.start(`http://127.0.0.1:${port}`)
    const slug = subscriber.name.toLowerCase().replaceAll(/\W+/g, '-')
    const workspace = await createWorkspace(() => service.url, dialect, slug)
    const { id, secret } = await workspace.createWebhook(relay.urlOf(subscriber.path), [common])
    const home = makeDirectory(directory)
    const running = await Subscriber.start({
      command: await subscriber.prepare({ directory: home, port, secret }),
      directory: home,
      port,
      env: { WEBHOOK_SECRET: secret, PORT: String(port) },
      ...(subscriber.ready === undefined ? {} : { ready: subscriber.ready }),
    })
    try {
      await workspace.publish(Array.from({ length: DELIVERIES }, () => make(common)))
      const requests = await eventually(() => (relay.relayed.length >= DELIVERIES ? relay.relayed : null), {
        withinMs: 30_000,
        what: `${DELIVERIES} deliveries`,
      })
      expect(
        requests.filter((request) => !isAccepted(request)),
        running.output,
      ).toEqual([])
      await eventually(
        async () => {
          const log = await workspace.deliveries(id)
          return log.every(({ status }) => status === 'delivered') ? log : null
        },
        { withinMs: 10_000, what: 'results in the log' },
      )

      const genuine = requests[0]!
      const body = Buffer.from(genuine.body.toString().replace(/"type"/, '"typo"'))
      expect(body.equals(genuine.body)).toBe(false)
      expect(isAccepted(await relay.send({ ...genuine, body })), 'altered body').toBe(false)
      const signed = SIGNED_SERVICES.find((one) => one.dialect === dialect)!
      const at = Math.floor(Date.now() / 1_000)
      const resigned = (by: string) => ({ ...genuine.headers, ...signed.headers([by], genuine.body, at) })
      expect(isAccepted(await relay.send({ ...genuine, headers: resigned(signed.other) })), 'forged').toBe(
        false,
      )
      expect(isAccepted(await relay.send({ ...genuine, headers: resigned(secret) })), 'lives on').toBe(true)
    } finally {
      await Promise.all([running.stop(), relay.stop()])
    }
  },
)
