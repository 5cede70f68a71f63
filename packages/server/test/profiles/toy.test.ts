import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Progress } from '../../src/core/delivery.ts'
import { deriveId, type IdKey, resolveId } from '../../src/core/ids.ts'
import { judge } from '../../src/core/policy.ts'
import { signedHeaders } from '../../src/engine/attempt/signedHeaders.ts'
import { USER_AGENT } from '../../src/engine/attempt/version.ts'
import { delivery } from '../support/deliveries.ts'
import { headersOf } from '../support/requestHeaders.ts'
import { toyDialect } from '../support/toyDialect.ts'

const KEY: IdKey = [11, 22, 33, 44]
const SECRET = toyDialect.secrets.make(new Uint8Array(40).fill(7))
const macKey = toyDialect.secrets.keyOf(SECRET)
const TYPE = 'Brick/stacked-on.v1'
const compose = toyDialect.envelope.prepare(
  { type: TYPE, data: { height_mm: 9 }, members: { color: 'blue' } },
  { publicId: 'toy-ws-1', slug: 'toys', name: 'Tøys' },
  null,
)
const body = compose('toy-evt-1', 5)

function headersAt(startedAt: number, keys = [{ key: macKey, expiresAt: null as number | null }]) {
  return signedHeaders({
    dialect: toyDialect,
    target: { keys, publicId: 'toy-hook-1', workspaceSlug: 'toys' },
    delivery: delivery({ id: 3, webhookId: 1, body, eventType: TYPE }),
    attempt: 1,
    startedAt,
    eventId: () => 'toy-evt-1',
    deliveryId: () => 'toy-dlv-3',
  })
}

describe('a third service', () => {
  test('composes bodies with members at any depth', () => {
    expect(JSON.parse(body)).toEqual({
      meta: { id: 'toy-evt-1', kind: TYPE, at: 5, yard: 'toys' },
      color: 'blue',
      builder: null,
      format: 7,
      what: { brick: { height_mm: 9 } },
    })
  })

  test('has its own headers in addition to those of the transport, signed over its own bytes', () => {
    const mac = createHmac('sha512', Buffer.alloc(40, 7)).update(`1700/toy-evt-1/${body}`).digest('hex')
    expect(headersOf(headersAt(1_700_999))).toEqual({
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'accept-encoding': 'identity',
      'X-Toy-Event': `${TYPE};toy-evt-1;toy-dlv-3`,
      'X-Toy-Attempt': '1',
      'X-Toy-Time': '1970-01-01T00:28:20.000Z',
      'X-Toy-Sig': `t=1700;v=${mac}`,
    })
  })

  test('signs with a replaced secret up to the end of its overlap and not after', () => {
    const old = {
      key: toyDialect.secrets.keyOf(toyDialect.secrets.make(new Uint8Array(40).fill(9))),
      expiresAt: 10_000,
    }
    const entries = (at: number) =>
      headersOf(headersAt(at, [{ key: macKey, expiresAt: null }, old]))['X-Toy-Sig']!.split(',').length
    expect([entries(9_999), entries(10_000)]).toEqual([2, 1])
  })

  test('makes its three attempts and ends in its own state', () => {
    let progress: Progress = { attempts: 0, trigger: 'schedule', runStart: 0, retryNumber: null }
    const verdicts = []
    for (let attempt = 0; attempt < 3; attempt++) {
      verdicts.push(
        judge({
          policy: toyDialect.policy,
          progress,
          outcome: {
            error: { code: 'reset', fault: 'reset', message: 'gone' },
            statusCode: null,
            contentType: null,
            body: null,
            retryAfter: null,
            newConnection: true,
          },
          finishedAt: 0,
          random: 0.9,
        }),
      )
      progress = { ...progress, attempts: progress.attempts + 1 }
    }
    expect(verdicts.map(({ status, nextAttemptAt }) => [status, nextAttemptAt])).toEqual([
      ['pending', 1_000],
      ['pending', 10_000],
      ['dead', null],
    ])
  })

  test('has ids of its own form that map back to their rows', () => {
    const row = { rowId: 123_456, createdAt: 1_767_600_000_000 }
    const id = toyDialect.ids.delivery.format(deriveId('delivery', row, KEY))
    expect(id).toMatch(/^toy-dlv-[0-9a-z]{26}$/)
    expect(resolveId('delivery', toyDialect.ids.delivery.parse(id)!, KEY)).toEqual(row)
    expect(toyDialect.ids.event.parse(id)).toBeNull()
  })
})
