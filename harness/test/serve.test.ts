import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  ADMIN_TOKEN,
  type PosthornProcess,
  runPosthorn,
  type Settings,
  spawnService,
  startService,
} from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { eventually } from '../src/support/waiting.ts'

let directory: string
let dataDir: string
const started: PosthornProcess[] = []

beforeEach(() => {
  directory = makeDirectory()
  dataDir = path.join(directory, 'data')
})

afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.kill()))
  removeDirectory(directory)
})

async function start(settings: Settings = {}): Promise<PosthornProcess> {
  const service = await startService({ dataDir, settings })
  started.push(service)
  return service
}

const withOwnPort = (): Settings => ({ POSTHORN_PORT: '0', POSTHORN_DATA_DIR: dataDir })

function expectOneLine(text: string): void {
  expect(text).toMatch(/^posthorn: [^\n]+\n$/)
}

test.each([
  ['http://hooks.example.com', 1],
  ['https://hooks.example.com', 0],
  ['http://localhost:8080', 0],
] as const)('with the public URL %s the log warns of cookies without TLS %i times', async (url, times) => {
  const service = await start({ POSTHORN_PUBLIC_URL: url })
  await service.stop()
  const warnings = service.stdout.split('\n').filter((line) => line.includes('people sign in without TLS'))
  expect(warnings.map((line) => JSON.parse(line))).toMatchObject(
    Array(times).fill({ level: 40, public_url: url }),
  )
  expect(warnings).toHaveLength(times)
})

test('settings that let in more than usual are warned of at every start: in the log, in metrics and to operators', async () => {
  mkdirSync(dataDir, { mode: 0o700 })
  chmodSync(dataDir, 0o777)
  const codes = ['egress_allow_wide', 'egress_allow_metadata', 'data_directory_open']
  for (let n = 0; n < 2; n++) {
    const service = await start({ POSTHORN_EGRESS_ALLOW: '0.0.0.0/0' })
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
    const answer = await fetch(`${service.url}/admin/v1/warnings`, { headers })
    const { data } = (await answer.json()) as { readonly data: readonly { readonly code: string }[] }
    await service.stop()
    expect(data.map(({ code }) => code)).toEqual(codes)
    for (const code of codes) {
      expect(metrics).toContain(`posthorn_warnings{code="${code}"} 1`)
      expect(service.stdout.match(new RegExp(`"level":40[^\\n]*"code":"${code}"`, 'g'))).toHaveLength(1)
    }
  }
})

describe('generated keys', () => {
  test('lie in files of mode 0600; the admin token is printed once and works', async () => {
    const first = await start({ POSTHORN_ADMIN_TOKEN: '' })
    const file = path.join(dataDir, 'admin-token')
    const token = readFileSync(file, 'utf8').trim()
    for (const name of ['admin-token', 'master-key']) {
      expect(statSync(path.join(dataDir, name)).mode & 0o777, name).toBe(0o600)
    }
    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
    const listed = await fetch(`${first.url}/admin/v1/workspaces`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(listed.status).toBe(200)
    await first.stop()
    expect(`${first.stderr}${first.stdout}`.split(token)).toHaveLength(2)

    const second = await start({ POSTHORN_ADMIN_TOKEN: '' })
    await second.stop()
    expect(`${second.stderr}${second.stdout}`).not.toContain(token)
    expect(readFileSync(file, 'utf8').trim()).toBe(token)
  })

  test('a start that fails for its port does not use up the one showing of the token', async () => {
    const busy = await occupyPort()
    const failed = await runPosthorn(['serve'], { ...withOwnPort(), POSTHORN_PORT: String(busy.port) })
    busy.close()
    expect(failed.code).toBe(1)
    const service = await start({ POSTHORN_ADMIN_TOKEN: '' })
    await service.stop()
    const token = readFileSync(path.join(dataDir, 'admin-token'), 'utf8').trim()
    expect(`${failed.stderr}${service.stderr}`.split(token)).toHaveLength(2)
  })

  test('a lost master key stops the start: a new one would open no secret', async () => {
    const service = await start()
    await service.stop()
    rmSync(path.join(dataDir, 'master-key'))
    const { code, stderr } = await runPosthorn(['serve'], withOwnPort())
    expect(code).toBe(1)
    expectOneLine(stderr)
    expect(stderr).toContain('POSTHORN_MASTER_KEY')
  })
})

describe('a store that was lost', () => {
  const workspaces = async ({ url }: PosthornProcess): Promise<unknown> => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ dialect: 'content', slug: 'acme', name: 'Acme' })
    await fetch(`${url}/admin/v1/workspaces`, { method: 'POST', headers, body })
    const listed = await fetch(`${url}/admin/v1/workspaces`, { headers })
    return ((await listed.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
  }

  test('is not served as an empty one, unless a new one is asked for, which stays', async () => {
    const first = await start()
    await workspaces(first)
    await first.stop()
    truncateSync(path.join(dataDir, 'posthorn.db'))
    const { code, stdout, stderr } = await runPosthorn(['serve'], withOwnPort())
    expect([code, stdout]).toEqual([1, ''])
    expectOneLine(stderr)
    expect(stderr).toMatch(/posthorn\.db is empty.*posthorn restore <file>.*--new-store/)

    const anew = await start({ POSTHORN_NEW_STORE: '1' })
    const made = await workspaces(anew)
    expect(made).toHaveLength(1)
    await anew.stop()
    const again = await start({ POSTHORN_NEW_STORE: '1' })
    expect(await workspaces(again)).toEqual(made)
  }, 60_000)

  test('by a kill of its first start is none', async () => {
    const killed = spawnService({ dataDir, settings: { POSTHORN_ADMIN_TOKEN: '' } })
    started.push(killed)
    await eventually(() => existsSync(path.join(dataDir, 'first-start')) || null, {
      withinMs: 10_000,
      what: 'beginning of the first start',
    })
    await killed.kill()
    await start()
  })
})

describe('a start that cannot be', () => {
  const badValues: [variable: string, value: string][] = [
    ['POSTHORN_PORT', '80800'],
    ['POSTHORN_PORT', 'http'],
    ['POSTHORN_DATABASE_URL', 'mysql://db/posthorn'],
    ['POSTHORN_NEW_STORE', 'yes'],
    ['POSTHORN_ADMIN_TOKEN', 'short'],
    ['POSTHORN_MASTER_KEY', 'bm90IDMyIGJ5dGVz'],
    ['POSTHORN_PUBLIC_URL', 'posthorn.example'],
    ['POSTHORN_PUBLIC_URL', 'https://mira:secret@posthorn.example'],
    ['POSTHORN_EGRESS_ALLOW', '10.0.0.1/8'],
    ['POSTHORN_EGRESS_PORTS', '8444,70000'],
    ['POSTHORN_EGRESS_CA_FILE', '/nowhere/ca.pem'],
    ['POSTHORN_EGRESS_PROXY', 'socks://proxy:1080'],
    ['POSTHORN_CONTENT_RETRY', '5s,soon'],
    ['POSTHORN_ADS_RETRY', '-1s'],
    ['POSTHORN_CONTENT_TIMEOUT', '15'],
    ['POSTHORN_ADS_TIMEOUT', '0s'],
    ['POSTHORN_FAILING_AFTER', 'never'],
    ['POSTHORN_SECRET_OVERLAP', '1w'],
    ['POSTHORN_RETENTION', 'thirty days'],
    ['POSTHORN_LEASE', '1s'],
    ['POSTHORN_MAX_IN_FLIGHT', '0'],
    ['POSTHORN_MAX_IN_FLIGHT_PER_WEBHOOK', '1.5'],
  ]

  test.each(badValues)('%s=%s ends it with one line that names the variable', async (variable, value) => {
    const { code, stderr, stdout } = await runPosthorn(['serve'], { ...withOwnPort(), [variable]: value })
    expect(code).toBe(1)
    expectOneLine(stderr)
    expect(stderr).toContain(variable)
    expect(stdout).toBe('')
  })

  test('a flag wins over its variable, and a bad one is named too', async () => {
    const { code, stderr } = await runPosthorn(['serve', '--port', 'x'], withOwnPort())
    expect(code).toBe(1)
    expectOneLine(stderr)
    expect(stderr).toContain('POSTHORN_PORT')
  })

  test('a certificate file without a certificate ends it with one line', async () => {
    const file = path.join(directory, 'empty.pem')
    writeFileSync(file, 'not a certificate\n')
    const { code, stderr } = await runPosthorn(['serve'], {
      ...withOwnPort(),
      POSTHORN_EGRESS_CA_FILE: file,
    })
    expect(code).toBe(1)
    expectOneLine(stderr)
    expect(stderr).toContain('POSTHORN_EGRESS_CA_FILE')
  })

  test('a second process on the same data directory is told in one line which one it is', async () => {
    const service = await start()
    const { code, stderr } = await runPosthorn(['serve'], withOwnPort())
    expect(code).toBe(1)
    expectOneLine(stderr)
    expect(stderr).toContain(dataDir)
    expect(stderr).toContain(`pid ${service.pid}`)
    const ready = await fetch(`${service.url}/readyz`)
    expect(ready.status).toBe(200)
  })

  test('a data directory that is a file ends it with one line that names it', async () => {
    mkdirSync(directory, { recursive: true })
    writeFileSync(dataDir, '')
    const { code, stderr } = await runPosthorn(['serve'], withOwnPort())
    expect(code).toBe(1)
    expectOneLine(stderr)
    expect(stderr).toContain(dataDir)
  })

  test('a port in use ends it with one line that names the address and the setting', async () => {
    const busy = await occupyPort()
    const { code, stderr } = await runPosthorn(['serve'], {
      ...withOwnPort(),
      POSTHORN_PORT: String(busy.port),
      POSTHORN_ADMIN_TOKEN: 'a-token-that-is-long-enough',
      POSTHORN_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    })
    busy.close()
    expect(code).toBe(1)
    expectOneLine(stderr)
    expect(stderr).toContain(`POSTHORN_PORT: something else listens on 127.0.0.1:${busy.port};`)
    expect(stderr).toContain('--port')
  })

  test('an address of another machine ends it with one line that names it', async () => {
    const { code, stderr } = await runPosthorn(['serve'], {
      ...withOwnPort(),
      POSTHORN_HOST: '192.0.2.1',
      POSTHORN_ADMIN_TOKEN: 'a-token-that-is-long-enough',
      POSTHORN_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    })
    expect(code).toBe(1)
    expectOneLine(stderr)
    expect(stderr).toContain('POSTHORN_HOST: 192.0.2.1:0 is no address of this machine')
  })
})

describe('operations', () => {
  test('the log says which version listens, as which node', async () => {
    const service = await start()
    const line = service.stdout.split('\n').find((text) => text.includes('posthorn is listening'))
    expect(JSON.parse(line!)).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      node: expect.any(Number),
      store: dataDir,
    })
  })

  test('/healthz, /readyz and /metrics answer without credentials', async () => {
    const { url } = await start()
    for (const [route, type] of [
      ['/healthz', 'application/json'],
      ['/readyz', 'application/json'],
      ['/metrics', 'text/plain'],
    ]) {
      const response = await fetch(`${url}${route}`)
      expect(response.status, route).toBe(200)
      expect(response.headers.get('content-type'), route).toContain(type)
      if (route !== '/metrics') continue
      const metrics = await response.text()
      expect(metrics).toContain('posthorn_attempts_total')
      expect(metrics).toMatch(/^posthorn_attempts_in_flight 0$/m)
      expect(metrics).toMatch(/^posthorn_deliveries_in_memory 0$/m)
      expect(metrics).toMatch(/^posthorn_lease_held 1$/m)
      expect(metrics).toMatch(/^posthorn_leases_taken_over_total 0$/m)
      expect(metrics).toMatch(/^posthorn_deliveries_pending 0$/m)
      expect(metrics).toMatch(/^posthorn_oldest_due_delivery_age_seconds 0$/m)
    }
  })

  test('a service that has nothing to do stops at once on SIGTERM and leaves nothing that keeps the next away', async () => {
    const first = await start()
    expect(await first.stop()).toEqual({ code: 0, signal: null })
    const second = await start()
    expect(await second.stop()).toEqual({ code: 0, signal: null })
  })

  test('a client that never finishes its request does not hold up the stop', async () => {
    const service = await start()
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    await new Promise<void>((resolve) => socket.write('GET /heal', () => resolve()))
    const stopStarted = performance.now()
    expect(await service.stop()).toEqual({ code: 0, signal: null })
    socket.destroy()
    expect(performance.now() - stopStarted).toBeLessThan(10_000)
    expect(service.stderr).not.toContain('took too long')
  })

  test('a second signal ends it at once, and the log says so', async () => {
    const service = await start()
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    await new Promise<void>((resolve) => socket.write('GET /heal', () => resolve()))
    void service.stop()
    await eventually(() => service.stdout.includes('stopping: attempts in flight may finish') || null, {
      withinMs: 10_000,
      what: 'beginning of the stop',
    })
    expect(await service.stop()).toEqual({ code: null, signal: 'SIGTERM' })
    socket.destroy()
    expect(service.stdout).toContain('asked to stop once more: ends at once')
  })

  test('SIGTERM during the start ends it too', async () => {
    const service = spawnService({ dataDir })
    started.push(service)
    const exit = await service.stop()
    expect([exit.code, exit.signal]).not.toContain('SIGKILL')
  })

  test('--help lists every variable, --version says which it is', async () => {
    const help = await runPosthorn(['serve', '--help'])
    expect(help.code).toBe(0)
    for (const [variable] of [['POSTHORN_PORT'], ['POSTHORN_DATA_DIR'], ['POSTHORN_EGRESS_ALLOW']]) {
      expect(help.stdout).toContain(variable)
    }
    const top = await runPosthorn(['--help'])
    expect(top.code).toBe(0)
    expect(top.stdout).toContain('serve')
    const version = await runPosthorn(['--version'])
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  test.each([
    [['backup'], ['POSTHORN_DATA_DIR', 'POSTHORN_MASTER_KEY'], 'POSTHORN_PORT'],
    [['workspace', 'create'], ['POSTHORN_PUBLIC_URL', 'POSTHORN_ADMIN_TOKEN'], 'POSTHORN_LEASE'],
    [['publish'], ['POSTHORN_PUBLIC_URL', 'POSTHORN_PORT'], 'POSTHORN_ADMIN_TOKEN'],
  ])('%j --help lists what it reads, and nothing else', async (command, read, other) => {
    const { stdout } = await runPosthorn([...command, '--help'])
    for (const variable of read) expect(stdout).toContain(variable)
    expect(stdout).not.toContain(other)
  })

  test('a flag that does not exist ends with the error and a line that points at the help', async () => {
    const { code, stderr } = await runPosthorn(['serve', '--prot', '1'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: [^\n]+--prot[^\n]+\n(\(Did[^\n]+\n)?Add --help to see what it takes\.\n$/)
  })

  test('a command that does not exist ends with an error on stderr', async () => {
    const { code, stderr } = await runPosthorn(['sevre'])
    expect(code).toBe(1)
    expect(stderr).toContain('sevre')
  })
})

async function occupyPort(): Promise<{ readonly port: number; close(): void }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}
