import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseConfig } from '../../src/cli/config/parseConfig.ts'
import {
  changedMasterKeyFile,
  ensureAdminToken,
  ensureMasterKeys,
  readAdminToken,
} from '../../src/cli/generatedKeys.ts'
import type { Config } from '../../src/cli/settings.ts'
import { keyIdOf } from '../../src/core/masterKeys.ts'
import { checkOf } from '../../src/engine/secretBox.ts'

let dataDir: string
let config: Config

beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'posthorn-keys-'))
  config = parseConfig({ dataDir })
})

afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

test('both keys are created once, readable only by this user, and no other file is left', () => {
  const key = ensureMasterKeys(config, false)
  const token = ensureAdminToken(config)
  expect(readdirSync(dataDir).sort()).toEqual(['admin-token', 'master-key'])
  for (const name of ['admin-token', 'master-key']) {
    expect(statSync(path.join(dataDir, name)).mode & 0o777).toBe(0o600)
  }
  expect(readFileSync(path.join(dataDir, 'master-key'), 'utf8').trim()).toBe(
    Buffer.from(key.value[0]).toString('base64'),
  )
  expect(ensureMasterKeys(config, false)).toEqual({ value: key.value, generatedIn: null })
  expect(ensureAdminToken(config)).toEqual({ value: token.value, generatedIn: null })
  expect(readAdminToken(dataDir)).toBe(token.value)
})

test('a missing key of an existing store is not created again', () => {
  expect(() => ensureMasterKeys(config, true)).toThrow(
    /^POSTHORN_MASTER_KEY: not set, and \S+master-key does not exist, but the store already uses a key; restore the file, or set the variable$/,
  )
  expect(() => ensureMasterKeys(config, true, 'do this')).toThrow(/already uses a key; do this$/)
  expect(readdirSync(dataDir)).toEqual([])
})

test('a draft left by a killed process does not prevent the creation of the key', () => {
  writeFileSync(path.join(dataDir, `master-key.${process.pid}.draft`), 'ha')
  expect(ensureMasterKeys(config, false).value[0]).toHaveLength(32)
  expect(readdirSync(dataDir)).toEqual(['master-key'])
})

test.each(['', 'pha_', 'two words of some length'])('a token file with %j gives no access', (text) => {
  writeFileSync(path.join(dataDir, 'admin-token'), `${text}\n`)
  expect(() => ensureAdminToken(config)).toThrow(
    /admin-token does not contain an admin token\. Delete the file/,
  )
  expect(() => readAdminToken(dataDir)).toThrow(/admin-token/)
})

test('a key that cannot be written is reported in one line', () => {
  rmSync(dataDir, { recursive: true })
  expect(() => ensureAdminToken(config)).toThrow(/^\S+admin-token cannot be written \(ENOENT\)$/)
})

test('a file with other master keys than those in use is named; an unused one is not read', () => {
  const { value } = ensureMasterKeys(config, false)
  const file = path.join(dataDir, 'master-key')
  const running = value.map((key) => keyIdOf(checkOf(key)))
  expect(changedMasterKeyFile(config, running)).toEqual([])
  const [next, kept] = [Buffer.alloc(32, 1).toString('base64'), readFileSync(file, 'utf8')]
  writeFileSync(file, `${next}\n${kept}`)
  expect(changedMasterKeyFile(config, running)).toEqual([file])
  writeFileSync(file, `${next}\n${next}\n`)
  expect(() => changedMasterKeyFile(config, running)).toThrow(
    /master-key does not contain master keys \(remove the duplicate key\); restore it$/,
  )
  expect(changedMasterKeyFile(parseConfig({ dataDir, masterKey: next }), running)).toEqual([])
})
