import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { fileTransport } from '../../src/mail/files.ts'
import { createFileCleaner } from '../../src/mail/oldFiles.ts'
import { ManualClock } from '../support/manualClock.ts'
import { FROM } from './mailing.ts'

const DAY_MS = 86_400_000
const RETENTION_MS = 30 * DAY_MS
const KEY = '0123456789abcdef0123456789abcdef'

let directory: string
const clock = new ManualClock()

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'posthorn-mail-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

/** The complaints of a cleaner. */
async function clean(of = directory, mayDelete = () => true): Promise<string[]> {
  const complaints: string[] = []
  const line = (_fields: object, message: string) => void complaints.push(message)
  const log = { info: line, warn: line, error: line }
  const failureLog = new FailureLog(clock, log)
  await createFileCleaner({
    directory: of,
    clock,
    failureLog,
    retentionMs: RETENTION_MS,
    mayDelete,
  }).runOnce()
  return complaints
}

const write = (createdAt: number) =>
  fileTransport(directory, FROM).send(
    {
      key: KEY,
      kind: 'webhook_off',
      createdAt,
      to: { name: 'Olga Owner', address: 'owner@example.com' },
      subject: 'Webhook disabled',
      blocks: [],
    },
    new AbortController().signal,
  )

test('messages older than the retention are deleted, and newer ones are kept', async () => {
  const now = clock.now()
  await write(now - RETENTION_MS - 1)
  await write(now - RETENTION_MS)
  await write(now)
  const [, ...kept] = readdirSync(directory).sort()
  expect(kept).toHaveLength(2)
  expect(await clean()).toEqual([])
  expect(readdirSync(directory).sort()).toEqual(kept)
})

test('nothing is deleted under a clock that is not trusted', async () => {
  await write(clock.now() - 2 * RETENTION_MS)
  const there = readdirSync(directory)
  expect(await clean(directory, () => false)).toEqual([])
  expect(readdirSync(directory)).toEqual(there)
})

test('half-written files of a crash are deleted the same way', async () => {
  const partial = `.2020-01-05T09-00-00.000Z-sign_in-${KEY}.eml.partial`
  writeFileSync(path.join(directory, partial), 'Sub')
  expect(await clean()).toEqual([])
  expect(readdirSync(directory)).toEqual([])
})

test('other files stay, however old their name says they are', async () => {
  const names = ['2020-01-05.eml', '2020-99-05T09-00-00.000Z-sign_in-00.eml', 'notes.txt'].sort()
  for (const name of names) writeFileSync(path.join(directory, name), '')
  expect(await clean()).toEqual([])
  expect(readdirSync(directory).sort()).toEqual(names)
})

test('a missing directory is fine, and an unreadable one is reported', async () => {
  expect(await clean(path.join(directory, 'emails'))).toEqual([])
  const file = path.join(directory, 'emails')
  writeFileSync(file, '')
  expect(await clean(file)).toHaveLength(1)
  rmSync(file)
  mkdirSync(file)
  expect(await clean(file)).toEqual([])
})
