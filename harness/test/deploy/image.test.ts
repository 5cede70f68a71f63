import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { missingPages } from '../../src/help/served.ts'
import { nodeImage } from '../../src/image/base.ts'
import { replay } from '../../src/image/replay.ts'
import { Subscriber } from '../../src/subscribers/subscriber.ts'
import { providePrograms } from '../../src/subscribers/toolchains.ts'
import { freePort } from '../../src/support/freePort.ts'
import { makeDirectory, removeDirectory } from '../../src/support/tempDirectory.ts'
import { eventually } from '../../src/support/waiting.ts'

const run = promisify(execFile)
const CONTEXT = fileURLToPath(new URL('../../..', import.meta.url))
/** Installs twice, and builds. */
const TIMEOUT_MS = 1_800_000
/** Size that the image adds to its base. */
const ADDED_AT_MOST_MB = 120

let scratch: string
beforeAll(() => {
  scratch = makeDirectory()
})
afterAll(() => removeDirectory(scratch), TIMEOUT_MS)

const megabytes = async (directory: string) =>
  Number((await run('du', ['--summarize', '--block-size=1M', directory])).stdout.split('\t')[0])

test('each line of the Dockerfile works, and the image serves as an unprivileged user', {
  timeout: TIMEOUT_MS,
}, async ({ skip }) => {
  skip(process.getuid?.() !== 0, 'only root may change the root of a process')
  const missing = providePrograms({ programs: ['debootstrap'], packages: ['debootstrap'] })
  skip(missing !== null, `the image is not tested: ${missing}`)
  const image = await replay({ context: CONTEXT, baseOf: nodeImage, scratch })
  const added = (await megabytes(image.root.directory)) - (await megabytes((await nodeImage(BASE)).directory))
  process.stdout.write(`image: ${added} MB on top of ${BASE}\n`)
  expect(added).toBeLessThan(ADDED_AT_MOST_MB)

  const [user] = image.user.split(':')
  expect(Number(user)).toBeGreaterThan(0)
  const data = path.join(scratch, 'data')
  mkdirSync(data)
  await run('chown', [image.user, data])
  const port = await freePort()
  const options = {
    env: {
      ...image.env,
      POSTHORN_PORT: String(port),
      POSTHORN_HOST: '127.0.0.1',
      // Nothing listens there, but the code is still loaded.
      POSTHORN_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    },
    workdir: image.workdir,
    user: image.user,
    mounts: { [image.volumes[0]!]: data },
  }
  const command = image.root.command([...image.entrypoint, ...image.cmd], options)
  const running = await Subscriber.start({ command, directory: scratch, port })
  try {
    const [program, ...args] = image.root.command(image.healthcheck, options)
    const healthy = () =>
      run(program!, args).then(
        ({ stdout }) => stdout,
        () => null,
      )
    expect(await eventually(healthy, { withinMs: 30_000, what: 'a healthy service' })).toBe('ready\n')
    expect(await missingPages(`http://127.0.0.1:${port}`)).toEqual([])
    const [inside, ...rest] = image.root.command(
      ['sh', '-c', 'id -u; touch /posthorn/x || echo read-only'],
      options,
    )
    expect((await run(inside!, rest)).stdout).toBe(`${user}\nread-only\n`)
  } finally {
    await running.stop()
  }
})

const BASE = 'node:24-bookworm-slim'
