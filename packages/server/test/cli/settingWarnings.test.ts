import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/cli/config/parseConfig.ts'
import { createMetrics } from '../../src/cli/metrics.ts'
import { settingWarnings } from '../../src/cli/settingWarnings.ts'
import { createSettingCheck, SettingWatch } from '../../src/cli/settingWatch.ts'
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { Warnings } from '../../src/engine/log/warnings.ts'
import { makeCertificate } from '../egress/certificates.ts'
import { ManualClock } from '../support/manualClock.ts'

let dataDir = ''
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'posthorn-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const warned = (settings: Readonly<Record<string, string>> = {}) =>
  settingWarnings(parseConfig({ dataDir, ...settings }), Date.now())
const codes = (settings?: Readonly<Record<string, string>>) => warned(settings).map(({ code }) => code)

describe('operators are warned about allowed addresses', () => {
  test.each([
    ['0.0.0.0/0', ['egress_allow_wide', 'egress_allow_metadata']],
    ['::/0', ['egress_allow_wide', 'egress_allow_metadata']],
    ['128.0.0.0/1', ['egress_allow_wide', 'egress_allow_metadata']],
    ['2000::/3', ['egress_allow_wide']],
    ['169.254.0.0/16', ['egress_allow_metadata']],
    ['169.254.169.254', ['egress_allow_metadata']],
    ['fd00::/16', ['egress_allow_metadata']],
    ['10.0.0.0/8,192.168.0.0/16,127.0.0.1,fd12:3456::/32,db.internal', []],
  ])('%s', (egressAllow, expected) => expect(codes({ egressAllow })).toEqual(expected))

  test('with the address that hands out credentials', () => {
    expect(warned({ egressAllow: '169.254.0.0/16' })[0]!.text).toContain('allows 169.254.169.254, where')
  })
})

describe.skipIf(process.platform === 'win32')(
  'operators are warned about files that other users can access',
  () => {
    test.each([0o777, 0o755, 0o750, 0o770, 0o711])('a data directory of mode %o', (mode) => {
      chmodSync(dataDir, mode)
      const [warning, ...others] = warned()
      expect(others).toEqual([])
      expect(warning).toEqual({
        code: 'data_directory_open',
        text: `Other users of this machine have access to the data directory ${dataDir} (mode 0${mode.toString(8)}). Run: chmod 700 ${dataDir}`,
      })
    })

    test('files of keys that are in use', () => {
      for (const name of ['master-key', 'admin-token'])
        writeFileSync(path.join(dataDir, name), '', { mode: 0o600 })
      expect(codes()).toEqual([])
      chmodSync(path.join(dataDir, 'master-key'), 0o640)
      expect(codes()).toEqual(['key_file_open'])
      const [key, token] = [path.join(dataDir, 'master-key'), path.join(dataDir, 'admin-token')]
      expect(warned()[0]!.text).toMatch(new RegExp(`chmod 600 ${key}\\. .*rotate the signing secrets`))
      expect(warned()[0]!.text).not.toContain('admin token')
      chmodSync(token, 0o644)
      expect(warned()[0]!.text).toMatch(new RegExp(`chmod 600 ${key} ${token}\\. .*rotate.*delete its file`))
      chmodSync(token, 0o600)
      expect(codes({ masterKey: Buffer.alloc(32, 1).toString('base64') })).toEqual([])
    })

    test('and not about missing or private files', () => {
      expect(codes()).toEqual([])
      expect(codes({ dataDir: path.join(dataDir, 'missing') })).toEqual([])
      mkdirSync(path.join(dataDir, 'inner'), { mode: 0o777 })
      expect(codes()).toEqual([])
    })
  },
)

test('an expiring certificate causes one warning 14 days before, until it is replaced', async () => {
  const clock = new ManualClock()
  const until = (days: number) =>
    makeCertificate({ commonName: 'hooks.example.com', notAfter: new Date(clock.now() + days * DAY_MS) })
  const config = { ...parseConfig({ dataDir }), tls: await until(15) }
  const logged: string[] = []
  const logger = { info() {}, warn: (_: object, text: string) => void logged.push(text), error() {} }
  const warnings = new Warnings()
  const watch = new SettingWatch(config, warnings, logger, clock)
  const loop = createSettingCheck(watch, clock, new FailureLog(clock, logger))
  const pass = async (hours: number) => {
    for (let i = 0; i < hours; i++) {
      clock.advance(HOUR_MS)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  loop.start()
  await pass(2)
  expect(logged).toEqual([])

  await pass(24)
  expect(logged).toEqual([expect.stringMatching(/^The certificate in POSTHORN_TLS_CERT_FILE expires at /)])
  expect(warnings.list().map(({ code }) => code)).toEqual(['tls_certificate_expires'])

  watch.prepare({ ...config, tls: await until(90) })()
  await pass(24)
  expect([logged.length, warnings.list()]).toEqual([1, []])
  await loop.stop()
})

test('metrics show each current warning by its code', async () => {
  const metrics = createMetrics(null)
  const warnings = new Warnings()
  metrics.watchWarnings(warnings)
  expect(await metrics.text()).not.toContain('posthorn_warnings{')
  warnings.give({ code: 'egress_allow_wide', text: 'Wide.', since: 0 })
  expect(await metrics.text()).toContain('posthorn_warnings{code="egress_allow_wide"} 1')
  warnings.withdraw('egress_allow_wide')
  expect(await metrics.text()).not.toContain('posthorn_warnings{')
})
