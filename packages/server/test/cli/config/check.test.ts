import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkSettings } from '../../../src/cli/config/check.ts'
import { parseGathered } from '../../../src/cli/config/parseConfig.ts'
import { gatherSettings } from '../../../src/cli/config/sources.ts'
import { SETTINGS, type SettingName } from '../../../src/cli/settings.ts'

let dataDir = ''
beforeEach(() => {
  dataDir = path.join(mkdtempSync(path.join(tmpdir(), 'posthorn-')), 'data')
})
afterEach(() => rmSync(path.dirname(dataDir), { recursive: true }))

async function check(environment: Readonly<Record<string, string>> = {}) {
  const names = Object.keys(SETTINGS) as SettingName[]
  return checkSettings(
    parseGathered(
      await gatherSettings({ flags: {}, environment: { POSTHORN_DATA_DIR: dataDir, ...environment }, names }),
    ),
  )
}

test('correct settings pass, and nothing is created', async () => {
  expect(await check()).toEqual({ mistakes: [], warnings: [] })
  expect(existsSync(dataDir)).toBe(false)
  mkdirSync(dataDir, { mode: 0o700 })
  expect(await check()).toEqual({ mistakes: [], warnings: [] })
  expect(readdirSync(dataDir)).toEqual([])
})

test('a data directory that is a file is a mistake', async () => {
  writeFileSync(dataDir, '')
  expect((await check()).mistakes).toEqual([
    `POSTHORN_DATA_DIR: ${dataDir} is not a directory; name a directory`,
  ])
})

test('a lost store is a mistake, unless POSTHORN_NEW_STORE or a database is set', async () => {
  mkdirSync(dataDir, { mode: 0o700 })
  writeFileSync(path.join(dataDir, 'posthorn.db'), '')
  expect((await check()).mistakes).toEqual([expect.stringContaining('posthorn.db is empty')])
  expect((await check({ POSTHORN_NEW_STORE: 'true' })).mistakes).toEqual([])
  expect((await check({ POSTHORN_DATABASE_URL: 'postgres://db.invalid/posthorn' })).mistakes).toEqual([])
})

test('key files without keys are mistakes, all reported at once', async () => {
  mkdirSync(dataDir, { mode: 0o700 })
  for (const name of ['admin-token', 'master-key'])
    writeFileSync(path.join(dataDir, name), 'short', { mode: 0o600 })
  const { mistakes } = await check({ POSTHORN_NEW_STORE: 'true' })
  expect(mistakes).toEqual([
    expect.stringContaining('does not contain master keys (use 32 bytes in base64'),
    expect.stringContaining('does not contain an admin token'),
  ])
})

test('it prints the warnings of a start', async () => {
  mkdirSync(dataDir)
  chmodSync(dataDir, 0o755)
  const { mistakes, warnings } = await check({
    POSTHORN_EGRESS_ALLOW: '0.0.0.0/0',
    POSTHORN_PUBLIC_URL: 'http://hooks.example.com',
  })
  expect(mistakes).toEqual([])
  expect(warnings).toEqual([
    expect.stringContaining('allows very large networks'),
    expect.stringContaining('where clouds give out credentials'),
    ...(process.platform === 'win32' ? [] : [expect.stringContaining('access to the data directory')]),
    expect.stringContaining('POSTHORN_PUBLIC_URL is not an https:// URL'),
  ])
})
