import { chmodSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { moveHooks, prepareLoad } from '../src/bench/load/prepareLoad.ts'
import { makeBacklog, PROBE } from '../src/bench/measure/backlog.ts'
import { fill } from '../src/bench/measure/fill.ts'
import { startUntilFirstSend } from '../src/bench/measure/firstSend.ts'
import { type MeasuringReceiver, startMeasuringReceiver } from '../src/bench/measure/fixedRate.ts'
import { dataParentOf } from '../src/bench/stage/dataParent.ts'
import { onStage, type Stage } from '../src/bench/stage/stage.ts'
import { STORES, type StoreName } from '../src/bench/stage/stores.ts'
import { query } from '../src/postgres/query.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { eventually } from '../src/support/waiting.ts'

let dataParent: string
beforeEach(() => {
  dataParent = makeDirectory(dataParentOf('postgres', null))
  // PostgreSQL does not run as root.
  chmodSync(dataParent, 0o755)
})
afterEach(() => removeDirectory(dataParent))

const optionsOf = (store: StoreName) => ({ store, tls: false, dataParent })
const reportOf = (receiver: MeasuringReceiver) => receiver.ask({ kind: 'report' }, 'report')

async function whereIs({ store }: Stage): Promise<unknown> {
  const { POSTHORN_DATABASE_URL: url } = store.environment
  if (url === undefined) return store.dataDirOf(0)
  const [row] = await query(url, 'show data_directory')
  return row!.data_directory
}

test.each(STORES)('a copy of a filled store (%s) continues where the original ended', async (store) => {
  const original = await onStage(optionsOf(store), async (stage) => {
    const { receiver, origin } = await startMeasuringReceiver(stage, { idsFile: null })
    const service = await stage.startService()
    const { url } = service
    const hooks = await prepareLoad(() => url, { webhooks: 10, receiverOrigin: origin })
    const events = await fill(stage, { url, hooks, events: 1000, receiver })
    expect(events).toBeGreaterThanOrEqual(1000)
    expect((await reportOf(receiver)).accepted).toEqual({ hooks: events })
    await service.stop()
    const bytes = await stage.store.bytes()
    expect(await stage.store.pending()).toBe(0)
    expect(await whereIs(stage)).toContain(`${dataParent}/`)
    return { copy: await stage.copyStore(path.join(dataParent, 'copy')), hooks, bytes }
  })
  const { hooks, copy, bytes } = original
  await onStage({ ...optionsOf(store), from: copy }, async (stage) => {
    expect(await stage.store.bytes()).toBeGreaterThan(bytes / 2)
    expect(await whereIs(stage)).toContain(`${dataParent}/`)
    const { receiver, origin } = await startMeasuringReceiver(stage, { idsFile: null })
    const { url } = await stage.startService()
    await moveHooks(() => url, hooks, origin)
    const events = await fill(stage, { url, hooks, events: 500, receiver })
    expect((await reportOf(receiver)).requests).toBe(events)
  })
})

test('a directory for stores must exist, and PostgreSQL must be able to enter it', () => {
  const mine = makeDirectory(dataParent)
  expect(dataParentOf('sqlite', mine)).toBe(mine)
  expect(() => dataParentOf('sqlite', path.join(mine, 'missing'))).toThrow('--data-dir: ENOENT')
  const asPostgres = () => dataParentOf('postgres', mine)
  if (process.getuid?.() === 0) expect(asPostgres).toThrow(`other users cannot enter ${mine}`)
  else expect(asPostgres()).toBe(mine)
})

test('with a waiting backlog, the next node sends only the due delivery', async () => {
  const options = optionsOf('sqlite')
  await onStage(options, async (stage) => {
    const { receiver, origin } = await startMeasuringReceiver(stage, { idsFile: null })
    const backlog = { kind: 'waiting', pending: 500, blocked: 5, receiver, origin } as const
    const dueAt = await makeBacklog(stage, backlog)
    const { requests, accepted } = await reportOf(receiver)
    expect(accepted).toEqual({})
    const pending = await stage.store.pending()
    expect(pending).toBeGreaterThanOrEqual(501)
    await eventually(async () => Date.now() >= dueAt || null, { withinMs: 30_000, what: 'time of the probe' })
    const { service, anyMs, groupMs } = await startUntilFirstSend(stage, receiver, PROBE)
    expect(anyMs).toBeLessThanOrEqual(groupMs)
    expect(await reportOf(receiver)).toMatchObject({ requests: requests + 1, accepted: { [PROBE]: 1 } })
    await service.stop()
    expect(await stage.store.pending()).toBe(pending - 1)
  })
})
