import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Relay } from '../src/subscribers/relay.ts'
import { Subscriber } from '../src/subscribers/subscriber.ts'
import { freePort } from '../src/support/freePort.ts'
import { type PosthornProcess, startService } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { eventually } from '../src/support/waiting.ts'
import { createWorkspace } from '../src/support/workspaces.ts'

const run = promisify(execFile)

const RECEIVER = `import { createServer } from 'node:http'
import { createReceiver } from '@posthorn/receiver'

const receiver = createReceiver({ scheme: 'standard', secrets: process.env.WEBHOOK_SECRET })

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    const { event } = await receiver.verify(Buffer.concat(chunks), request.headers)
    console.log('verified', event.type)
    response.writeHead(204).end()
  } catch (error) {
    response.writeHead(400).end(error.code)
  }
}).listen(process.env.PORT, '127.0.0.1')
`

const PUBLISHER = `import { createContentClient } from '@posthorn/client'

const { POSTHORN_URL: baseUrl, POSTHORN_KEY: apiKey, POSTHORN_WORKSPACE: workspace } = process.env
const posthorn = createContentClient({ baseUrl, apiKey, workspace })
await posthorn.publish({ type: 'schedule.cancel_required', data: { subject_id: 'sch_1' } })
`

let directory: string
let service: PosthornProcess
const running: { stop(): Promise<unknown> }[] = []

beforeEach(async () => {
  directory = makeDirectory()
  service = await startService({ dataDir: path.join(directory, 'data') })
})

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()))
  await service.kill()
  removeDirectory(directory)
})

const install = (name: string, ...options: readonly string[]) =>
  run(
    'npm',
    ['install', '--no-audit', '--no-fund', ...options, `${service.url}/downloads/posthorn-${name}.tgz`],
    { cwd: directory, timeout: 280_000 },
  )

/** npm's errors without a registry. */
const NO_REGISTRY = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/

test('the downloads that the service offers install in an empty directory, publish and verify', async ({
  skip,
}) => {
  writeFileSync(path.join(directory, 'package.json'), '{ "private": true, "type": "module" }')
  // It has no dependencies, so it needs no registry: nothing listens at this one.
  await install('receiver', '--registry', `http://127.0.0.1:${await freePort()}`)
  const failure = await install('client', '--prefer-offline').then(
    () => null,
    (error: Error) => error.message,
  )
  skip(failure !== null && NO_REGISTRY.test(failure), 'npm reaches no registry for openapi-fetch')
  expect(failure).toBeNull()

  writeFileSync(path.join(directory, 'receiver.js'), RECEIVER)
  writeFileSync(path.join(directory, 'publisher.js'), PUBLISHER)
  const port = await freePort()
  const relay = await Relay.start(`http://127.0.0.1:${port}`)
  running.push(relay)
  const workspace = await createWorkspace(() => service.url, 'content', 'downloads')
  const { secret } = await workspace.createWebhook(relay.urlOf('/hook'), ['schedule.cancel_required'])
  const receiver = await Subscriber.start({
    command: [process.execPath, 'receiver.js'],
    directory,
    port,
    env: { WEBHOOK_SECRET: secret, PORT: String(port) },
  })
  running.push(receiver)
  await run(process.execPath, ['publisher.js'], {
    cwd: directory,
    env: {
      ...process.env,
      POSTHORN_URL: service.url,
      POSTHORN_KEY: workspace.key,
      POSTHORN_WORKSPACE: workspace.id,
    },
  })
  const [delivered] = await eventually(() => (relay.relayed.length > 0 ? relay.relayed : null), {
    withinMs: 10_000,
    what: 'delivery',
  })
  expect(delivered).toMatchObject({ status: 204 })
  expect(receiver.output).toBe('verified schedule.cancel_required\n')
  const altered = Buffer.from(delivered!.body.toString().replace('sch_1', 'sch_2'))
  expect(await relay.send({ ...delivered!, body: altered })).toEqual({
    status: 400,
    answer: 'signature_mismatch',
  })
})
