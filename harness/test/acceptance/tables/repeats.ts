import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Call, CheckedAnswer, ProblemJson } from '../../../src/api/client.ts'
import { eventually } from '../../../src/support/waiting.ts'
import { openAccount, serviceOf } from '../accounts.ts'
import { operations, parameterNames, titled } from '../operations.ts'
import { sampleIn, sampleOf } from '../samples/index.ts'
import { call } from '../world.ts'

/** Members of answers that never change, whatever happens to the created resource. */
const LASTING = [
  'id',
  'key',
  'token',
  'signing_secret',
  'signingSecret',
  'events',
  'slug',
  'name',
  'moved',
  'url',
  'embed_url',
  'created_at',
  'asked_at',
  'askedAt',
]
const AT_ONCE = 8

type Answer = CheckedAnswer<ProblemJson>

const lasting = ({ status, json }: Answer) => ({
  status,
  ...Object.fromEntries(Object.entries(json).filter(([name]) => LASTING.includes(name))),
})

const under = (sample: Call, idempotencyKey: string): Call => ({
  ...sample,
  headers: { ...sample.headers, 'idempotency-key': idempotencyKey },
})

export function repeats(): void {
  const repeatable = titled(
    operations.filter((operation) => parameterNames(operation, 'header').includes('idempotency-key')),
  )

  test.each(repeatable)('%s answers a repeat as it did first', async (id, operation) => {
    const what = under(await sampleOf(operation), randomUUID())
    const first = await call(id, what)
    expect(first.status).toBeLessThan(300)
    expect(Object.keys(lasting(first)).length).toBeGreaterThan(1)
    expect(lasting(await call(id, what))).toEqual(lasting(first))
  })

  // A workspace has one operational webhook, so calls about it are always the same; its story covers other
  // requests.
  const different = repeatable.filter(([id]) => !/^(rotate|test)\w*Operational/.test(id))
  test.each(different)('%s rejects another request with the same key', async (id, operation) => {
    const account = await openAccount(serviceOf(operation))
    const key = randomUUID()
    expect((await call(id, under(await sampleIn(account, operation), key))).status).toBeLessThan(300)
    const { status, json } = await call(id, under(await sampleIn(account, operation), key))
    expect([status, json.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test.each(repeatable)('%s is executed once for many concurrent requests', async (id, operation) => {
    await eventually(
      async () => {
        const what = under(await sampleOf(operation), randomUUID())
        const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => call(id, what)))
        const refused = answers.filter(({ status }) => status >= 300)
        const first = answers.find(({ status }) => status < 300)!
        for (const { status, json, headers } of refused) {
          expect([status, json.code, headers['retry-after']]).toEqual([409, 'idempotency_key_in_use', '1'])
        }
        for (const answer of [...answers.filter(({ status }) => status < 300), await call(id, what)]) {
          expect(lasting(answer)).toEqual(lasting(first))
        }
        return refused.length > 0 ? true : null
      },
      { withinMs: 10_000, everyMs: 0, what: 'a request that comes while the first is under way' },
    )
  })

  test.each(repeatable)('%s rejects invalid keys', async (id, operation) => {
    const sample = await sampleOf(operation)
    for (const key of ['', 'two words', 'x'.repeat(256)]) {
      const { status, json } = await call(id, under(sample, key))
      expect([status, json.errors?.[0]?.pointer]).toEqual([422, '/idempotency-key'])
    }
  })
}
