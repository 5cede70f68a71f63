import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { runPosthorn } from '../src/support/posthorn.ts'
import { expectOneLine, occupyPort, useServing } from './serving.ts'

const serving = useServing()

describe('an impossible start', () => {
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

  test.each(badValues)('%s=%s ends with one line that names the variable', async (variable, value) => {
    const { code, stderr, stdout } = await runPosthorn(['serve'], { ...serving.settings, [variable]: value })
    expect(code).toBe(1)
    expectOneLine(stderr)
    expect(stderr).toContain(variable)
    expect(stdout).toBe('')
  })

  test('a flag overrides its variable, and an invalid one is named too', async () => {
    const { code, stderr } = await runPosthorn(['serve', '--port', 'x'], serving.settings)
    expect(code).toBe(1)
    expectOneLine(stderr)
    expect(stderr).toContain('POSTHORN_PORT')
  })

  test('a certificate file without a certificate ends with one line', async () => {
    const file = path.join(serving.directory, 'empty.pem')
    writeFileSync(file, 'not a certificate\n')
    const { code, stderr } = await runPosthorn(['serve'], {
      ...serving.settings,
      POSTHORN_EGRESS_CA_FILE: file,
    })
    expect(code).toBe(1)
    expectOneLine(stderr)
    expect(stderr).toContain('POSTHORN_EGRESS_CA_FILE')
  })

  test('a second process on the same data directory ends with one line that names the directory', async () => {
    const service = await serving.start()
    const { code, stderr } = await runPosthorn(['serve'], serving.settings)
    expect(code).toBe(1)
    expectOneLine(stderr)
    expect(stderr).toContain(serving.dataDir)
    expect(stderr).toContain(`pid ${service.pid}`)
    const ready = await fetch(`${service.url}/readyz`)
    expect(ready.status).toBe(200)
  })

  test('a data directory that is a file ends with one line that names it', async () => {
    mkdirSync(serving.directory, { recursive: true })
    writeFileSync(serving.dataDir, '')
    const { code, stderr } = await runPosthorn(['serve'], serving.settings)
    expect(code).toBe(1)
    expectOneLine(stderr)
    expect(stderr).toContain(serving.dataDir)
  })

  test('a port in use ends with one line that names the address and the setting', async () => {
    const busy = await occupyPort()
    const { code, stderr } = await runPosthorn(['serve'], {
      ...serving.settings,
      POSTHORN_PORT: String(busy.port),
      POSTHORN_ADMIN_TOKEN: 'a-token-that-is-long-enough',
      POSTHORN_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    })
    busy.close()
    expect(code).toBe(1)
    expectOneLine(stderr)
    expect(stderr).toContain(`POSTHORN_PORT: another program listens on 127.0.0.1:${busy.port};`)
    expect(stderr).toContain('--port')
  })

  test('an address of another machine ends with one line that names it', async () => {
    const { code, stderr } = await runPosthorn(['serve'], {
      ...serving.settings,
      POSTHORN_HOST: '192.0.2.1',
      POSTHORN_ADMIN_TOKEN: 'a-token-that-is-long-enough',
      POSTHORN_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    })
    expect(code).toBe(1)
    expectOneLine(stderr)
    expect(stderr).toContain('POSTHORN_HOST: 192.0.2.1:0 is not an address of this machine')
  })
})
