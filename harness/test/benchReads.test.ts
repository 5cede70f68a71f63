import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { LOG_CALLS, logCallsOf } from '../src/bench/load/logCalls.ts'
import type { ListFacts } from '../src/bench/load/logFacts.ts'
import { Reader, timeCalls, timeWalk } from '../src/bench/measure/readCalls.ts'

/** @param answer to each request, by its number from 0 */
async function serve(answer: (number: number, request: IncomingMessage) => object | number) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const answered = answer(asked.length, request)
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    if (typeof answered === 'number') response.writeHead(answered).end('no')
    else response.end(JSON.stringify(answered))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const reader = new Reader(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(async () => {
    await reader.close()
    server.close()
  })
  return { asked, reader }
}

const call = { path: '/list?limit=2', token: 'key' }

test.each(['next_cursor', 'nextCursor'])('a list is followed to its end by its %s', async (name) => {
  const pages = [
    { data: [], [name]: 'a/b' },
    { data: [{}, {}], [name]: 'c' },
    { data: [{}], [name]: null },
  ]
  const { asked, reader } = await serve((number) => pages[number]!)
  const metrics = await timeWalk(reader, call)
  expect(asked).toEqual([
    'GET /list?limit=2 Bearer key',
    'GET /list?limit=2&cursor=a%2Fb Bearer key',
    'GET /list?limit=2&cursor=c Bearer key',
  ])
  expect(metrics).toMatchObject({ found: 3, callsToFirst: 2, callsToEnd: 3 })
  expect(metrics.firstMs).toBeLessThanOrEqual(metrics.endMs!)
})

test('an empty list has no first match', async () => {
  const { reader } = await serve(() => ({ data: [], next_cursor: null }))
  expect(await timeWalk(reader, call)).toMatchObject({ found: 0, callsToFirst: Number.NaN, callsToEnd: 1 })
})

test('calls are made in turn, the first ones uncounted', async () => {
  const { asked, reader } = await serve(() => ({}))
  await timeCalls(reader, [call, { path: '/other', token: 'key', body: { dryRun: true } }], 3)
  expect(asked.map((line) => line.split(' ', 2).join(' '))).toEqual([
    'GET /list?limit=2',
    'POST /other',
    'GET /list?limit=2',
    'POST /other',
    'GET /list?limit=2',
    'POST /other',
  ])
})

test('an answer other than 200 ends the run', async () => {
  const { reader } = await serve(() => 404)
  await expect(timeCalls(reader, [call], 1)).rejects.toThrow('/list?limit=2 → 404 no')
})

test('the log is requested with the parameter names of each service', () => {
  const facts = (words: ListFacts['words']): ListFacts => ({
    path: '/deliveries',
    token: 'key',
    words,
    webhookId: 'wh',
    commonType: 'common',
    rareType: 'rare',
    unusedType: 'unused',
    eventId: 'evt',
    middle: '2026-01-01T00:00:00.000Z',
    secondLater: '2026-01-01T00:00:01.000Z',
    deepCursor: 'deep',
    deliveries: [],
  })
  const calls = logCallsOf({
    content: facts({ type: 'event_type' }),
    ads: facts({ type: 'eventType' }),
    consolePath: '/console',
    sessionToken: 'session',
  })
  expect([...calls.keys()]).toEqual(LOG_CALLS)
  const pathOf = (name: string) => {
    const found = calls.get(name)!
    return found.kind === 'walk' ? found.call.path : null
  }
  expect(pathOf('content: rare type, to the end')).toBe('/deliveries?limit=50&event_type=rare')
  expect(pathOf('ads: rare type, to the end')).toBe('/deliveries?limit=50&eventType=rare')
})
