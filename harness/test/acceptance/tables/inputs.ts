import { expect, test } from 'vitest'
import type { Call } from '../../../src/api/client.ts'
import type { SchemaObject } from '../../../src/api/jsonSchema.ts'
import { type Account, addKey, addMember, admin, openAccount, serviceOf } from '../accounts.ts'
import { bodySchema, operations, parameterNames, titled } from '../operations.ts'
import { sampleIn, sampleOf } from '../samples/index.ts'
import { call, done } from '../world.ts'

/** Invalid values of query parameters. */
const WRONG_IN_QUERY: Readonly<Record<string, readonly string[]>> = {
  ids: [Array.from({ length: 101 }, () => 'wh_0').join()],
  period: ['2h', '', '24'],
  now: ['perhaps'],
  limit: ['0', '101', 'many', '1.5', ''],
  cursor: ['nonsense', 'x'.repeat(60)],
  after: ['nonsense', 'x'.repeat(301)],
  status: ['nonsense'],
  type: ['no.such.type'],
  event: ['no.such.type'],
  event_type: ['no.such.type'],
  eventType: ['no.such.type'],
  webhookId: ['nonsense', '0196f2a0-0000-7000-8000-000000000001'],
  webhook_id: ['nonsense', 'wh_00000000000000000000000000'],
  status_code: ['nonsense', '20', '1xx'],
  statusCode: ['nonsense', '20', '1xx'],
  // An unknown event id has no deliveries.
  event_id: [],
  eventId: [],
  from: ['yesterday', '2026-02-30T00:00:00Z', '1767225600'],
  to: ['yesterday', '2025-12-31T23:59:59Z'],
  q: ['', 'x'.repeat(201)],
  order: ['upwards'],
  target: ['x'.repeat(101)],
  wait: ['-1', '31', 'long', ''],
  workspace: ['x'.repeat(101)],
}

/** Expects the call to be rejected for one error, at this position. */
async function expectMistake(id: string, what: Call, pointer: string): Promise<void> {
  const { status, json, text } = await call(id, what)
  expect([status, json.code], text).toEqual([422, 'invalid_request'])
  const mistakes = json.errors ?? []
  expect(
    mistakes.map((mistake) => mistake.pointer),
    text,
  ).toContain(pointer)
  expect(mistakes.every(({ message }) => message.length > 0)).toBe(true)
}

/** A value of a type that a member may not have. */
const wrongFor = ({ type }: SchemaObject) =>
  [type].flat().some((one) => one === 'object' || one === 'array') ? 7 : { no: 7 }

function without(json: object, member: string): object {
  return Object.fromEntries(Object.entries(json).filter(([name]) => name !== member))
}

/** A cursor of a list of an account with more than one page. */
async function cursorOf(list: 'listKeys' | 'listMembers', account: Account): Promise<string> {
  await Promise.all([addKey(account), addMember(account.ws, 'viewer')])
  const what = { ...admin, params: { ws: account.ws }, query: { limit: 1 } }
  const { next_cursor } = await done<{ next_cursor: string | null }>(list, what)
  expect(next_cursor).not.toBeNull()
  return next_cursor!
}

export function inputs(): void {
  const asking = operations.filter((operation) => parameterNames(operation, 'query').length > 0)

  test.each(titled(asking))('%s rejects unknown and invalid parameters', async (id, operation) => {
    const sample = await sampleOf(operation)
    await expectMistake(id, { ...sample, query: { ...sample.query, surplus: 1 } }, '/surplus')
    for (const name of parameterNames(operation, 'query')) {
      const wrong = WRONG_IN_QUERY[name]
      expect(wrong, `wrong values for the parameter ${name}`).toBeDefined()
      for (const value of wrong ?? []) {
        await expectMistake(id, { ...sample, query: { ...sample.query, [name]: value } }, `/${name}`)
      }
    }
  })

  const listing = operations.filter((operation) => parameterNames(operation, 'query').includes('cursor'))
  test.each(titled(listing))('%s rejects the cursor of another list', async (id, operation) => {
    const account = await openAccount(serviceOf(operation))
    const cursor = await cursorOf(id === 'listKeys' ? 'listMembers' : 'listKeys', account)
    const sample = await sampleIn(account, operation)
    await expectMistake(id, { ...sample, query: { ...sample.query, cursor } }, '/cursor')
  })

  // Operations that check a body report errors in their answer instead of rejecting it.
  const written = operations.filter(
    (operation) => bodySchema(operation) !== null && operation.id !== 'checkService',
  )

  test.each(titled(written))('%s rejects unknown, missing and invalid members', async (id, operation) => {
    const sample = await sampleOf(operation)
    const json = sample.json as object
    const { properties = {}, required = [] } = bodySchema(operation)!
    await expectMistake(id, { ...sample, json: { ...json, surplus: 1 } }, '/surplus')
    for (const name of required) await expectMistake(id, { ...sample, json: without(json, name) }, `/${name}`)
    for (const [name, schema] of Object.entries(properties)) {
      const wrong = { ...json, [name]: wrongFor(schema as SchemaObject) }
      await expectMistake(id, { ...sample, json: wrong }, `/${name}`)
    }
  })

  test.each(titled(written))(
    '%s rejects a body that is not an object, and a missing required one',
    async (id, operation) => {
      const sample = await sampleOf(operation)
      const { json: _json, ...bare } = sample
      const none = operation.body?.required === true ? [bare] : []
      for (const what of [...none, ...[null, [], 'text', 7].map((json) => ({ ...bare, json }))]) {
        const { status, json } = await call(id, what)
        expect([status, json.code]).toEqual([422, 'invalid_request'])
      }
    },
  )
}
