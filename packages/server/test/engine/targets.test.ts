import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Targets } from '../../src/engine/attempt/targets.ts'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { createSecretBox, type SecretBox } from '../../src/engine/secretBox.ts'
import type { SendingTarget } from '../../src/storage/rows.ts'
import { ManualClock } from '../support/manualClock.ts'
import { toyDialect } from '../support/toyDialect.ts'
import { away, openCalls, recordedLog, settled, storageOf } from './fakes.ts'

const box = createSecretBox(new Uint8Array(32).fill(1))
const secret = (fill: number) => toyDialect.secrets.format(new Uint8Array(32).fill(fill))

function row(id: number, version: number, fields: Partial<SendingTarget> = {}): SendingTarget {
  const publicId = `toy-hook-${id}`
  return {
    id,
    workspaceId: 9,
    publicId,
    version,
    dialect: 'toy',
    url: 'https://toys.example.com:8443/in?a=b%20c',
    status: 'on',
    secrets: [{ sealed: box.seal(secret(id), publicId), expiresAt: null }],
    ...fields,
  }
}

function setUp(secretBox: SecretBox = box) {
  const clock = new ManualClock()
  const log = recordedLog()
  const { calls, verb } = openCalls<{ webhookIds: readonly number[] }, readonly SendingTarget[]>()
  const loaded: number[][] = []
  const targets = new Targets({
    storage: storageOf({ loadTargets: verb }),
    dialects: new Map([['toy', toyDialect]]),
    secretBox,
    clock,
    log,
    failureLog: new FailureLog(clock, log),
    onLoaded: (ids) => loaded.push([...ids]),
  })
  const answer = async (...rows: readonly SendingTarget[]) => {
    calls.at(-1)!.resolve(rows)
    await settled()
  }
  const asked = () => calls.map(({ params }) => params.webhookIds)
  return { clock, log, calls, loaded, targets, answer, asked }
}

const macsOf = (target: ReturnType<Targets['get']>) => {
  if (typeof target !== 'object') throw new Error(`no target: ${target}`)
  return target.keys.map(({ key }) => key.hmac('', 'a body', 'hex'))
}

/** @param fills of the secrets' bytes */
const macsUnder = (...fills: readonly number[]) =>
  fills.map((fill) => createHmac('sha256', Buffer.alloc(32, fill)).update('a body').digest('hex'))

describe('a target', () => {
  test('is loaded once, opened and kept', async () => {
    const { targets, answer, asked, loaded } = setUp()
    expect(targets.get(1, 4)).toBeUndefined()
    await answer(row(1, 4))
    expect(loaded).toEqual([[1]])
    const target = targets.get(1, 4)!
    expect(target).toMatchObject({
      version: 4,
      status: 'on',
      destination: {
        workspaceId: 9,
        origin: 'https://toys.example.com:8443',
        path: '/in?a=b%20c',
      },
    })
    expect(macsOf(target)).toEqual(macsUnder(1))
    expect(targets.get(1, 3)).toBe(target)
    expect(asked()).toEqual([[1]])
  })

  test('that was rotated again and again costs no more than the newest secrets that can sign', async () => {
    let opened = 0
    const counting: SecretBox = {
      ...box,
      open: (...args) => {
        opened += 1
        return box.open(...args)
      },
    }
    const { targets, answer } = setUp(counting)
    targets.get(1, 1)
    const secrets = [9, 8, 7, 6, 5].map((fill) => ({
      sealed: box.seal(secret(fill), 'toy-hook-1'),
      expiresAt: fill === 9 ? null : fill * 1000,
    }))
    await answer(row(1, 1, { secrets }))
    expect(macsOf(targets.get(1, 1)!)).toEqual(macsUnder(9, 8, 7))
    expect(opened).toBe(3)
  })

  test('is loaded anew for a delivery that needs a later version', async () => {
    const { targets, answer, asked } = setUp()
    targets.get(1, 1)
    await answer(row(1, 1))
    expect(targets.get(1, 2)).toBeUndefined()
    await answer(row(1, 2, { status: 'paused' }))
    expect(targets.get(1, 2)).toMatchObject({ version: 2, status: 'paused' })
    expect(asked()).toEqual([[1], [1]])
  })

  test('that changes while it is being loaded is loaded again before it is used', async () => {
    const { targets, calls, asked } = setUp()
    targets.get(1, 1)
    targets.forget(1)
    calls[0]!.resolve([row(1, 1)])
    await settled()
    expect(targets.get(1, 1)).toBeUndefined()
    calls[1]!.resolve([row(1, 2, { url: 'https://new.example.com/' })])
    await settled()
    expect(targets.get(1, 1)).toMatchObject({
      destination: { origin: 'https://new.example.com' },
    })
    expect(asked()).toEqual([[1], [1]])
  })

  test('that changed is not used as it was', async () => {
    const { targets, answer } = setUp()
    targets.get(1, 1)
    await answer(row(1, 1))
    targets.forget(1)
    expect(targets.get(1, 1)).toBeUndefined()
  })

  test('that is asked for again and again while it is being loaded is loaded once', async () => {
    const { targets, answer, asked, loaded } = setUp()
    targets.get(1, 1)
    targets.get(1, 1)
    await answer(row(1, 1))
    expect([asked(), loaded]).toEqual([[[1]], [[1]]])
    expect(targets.get(1, 1)).toMatchObject({ version: 1 })
  })

  test('that is asked for in a later version than the load brings is loaded once more', async () => {
    const { targets, answer, asked } = setUp()
    targets.get(1, 1)
    targets.get(1, 2)
    await answer(row(1, 1))
    expect(targets.get(1, 2)).toBeUndefined()
    await answer(row(1, 2))
    expect(targets.get(1, 2)).toMatchObject({ version: 2 })
    expect(asked()).toEqual([[1], [1]])
  })

  test('that is asked for during a load comes with the next one, together with others', async () => {
    const { targets, answer, asked, loaded } = setUp()
    targets.get(1, 1)
    targets.get(2, 1)
    targets.get(3, 1)
    await answer(row(1, 1))
    expect(asked()).toEqual([[1], [2, 3]])
    await answer(row(2, 1), row(3, 1))
    expect(loaded).toEqual([[1], [2, 3]])
  })
})

describe('a webhook that cannot be sent to', () => {
  test.each([
    ['has a dialect that is not served here', [row(1, 1, { dialect: 'other' })]],
    ['has a secret of another master key', [row(1, 1, { secrets: [sealedElsewhere()] })]],
    ['has a secret of another webhook', [row(1, 1, { secrets: row(2, 1).secrets })]],
    ['has a URL that cannot be read', [row(1, 1, { url: 'https://' })]],
  ] as const)('because it %s, is known as such and not asked for again', async (_, rows) => {
    const { targets, answer, asked } = setUp()
    targets.get(1, 1)
    await answer(...rows)
    expect(targets.get(1, 1)).toBe('unsendable')
    expect(targets.get(1, 9)).toBe('unsendable')
    expect(asked()).toHaveLength(1)
  })

  test('because it is gone, is known as such once, and not kept in mind', async () => {
    const { targets, answer, asked } = setUp()
    targets.get(1, 1)
    await answer()
    expect(targets.get(1, 1)).toBe('gone')
    expect(targets.get(1, 1)).toBeUndefined()
    expect(asked()).toEqual([[1], [1]])
  })

  test('does not keep others from being loaded', async () => {
    const { targets, answer } = setUp()
    targets.get(5, 1)
    targets.get(1, 1)
    targets.get(2, 1)
    await answer(row(5, 1))
    await answer(row(1, 1, { url: 'https://' }), row(2, 1))
    expect([targets.get(1, 1), targets.get(2, 1)]).toMatchObject(['unsendable', { version: 1 }])
  })

  test('is looked at again once it changed', async () => {
    const { targets, answer } = setUp()
    targets.get(1, 1)
    await answer()
    targets.forget(1)
    targets.get(1, 1)
    await answer(row(1, 2))
    expect(targets.get(1, 1)).toMatchObject({ version: 2 })
  })
})

test('while the store is away, loads are tried again one at a time, with what was asked for since', async () => {
  const { clock, targets, calls, answer, asked, loaded } = setUp()
  targets.get(1, 1)
  calls[0]!.reject(away())
  await settled()
  targets.get(2, 1)
  expect(calls).toHaveLength(1)
  clock.advance(200)
  expect(asked()).toEqual([[1], [1, 2]])
  await answer(row(1, 1), row(2, 1))
  expect(loaded).toEqual([[1, 2]])
  expect(clock.pending).toBe(0)
})

function sealedElsewhere() {
  const other = createSecretBox(new Uint8Array(32).fill(2))
  return { sealed: other.seal(secret(1), 'toy-hook-1'), expiresAt: null }
}
