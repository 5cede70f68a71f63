import type { RequestListener } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { ApiDocument } from '../src/api/apiDocument.ts'
import { type FuzzReport, fuzz } from '../src/fuzz/fuzz.ts'
import type { Knowledge } from '../src/fuzz/knowledge.ts'
import { Notes } from '../src/fuzz/notes.ts'
import { type Account, Pool } from '../src/fuzz/pool.ts'
import { findingText } from '../src/fuzz/report.ts'
import { answer, problem, startTiny, THING, TINY, type TinyServer } from './api/tiny.ts'
import { type Misbehave, OWNERS, tinyService } from './api/tinyService.ts'

const SEED = 20_260_314

let server: TinyServer | null = null
afterEach(() => server?.close())

function knowledge(params: Account['params']): Knowledge {
  const documents = [new ApiDocument('tiny', TINY)]
  const accounts = Object.keys(OWNERS).map(
    (key): Account => ({ document: 'tiny', keys: [key], spentKeys: [], params, lasting: true }),
  )
  return {
    documents,
    accounts,
    pool: new Pool(documents),
    notes: new Notes(),
    answersWith: {},
    destructive: new Set(),
    weights: {},
    bodies: {},
    overridesFor: () => () => null,
    learnMore: () => undefined,
  }
}

async function run(
  listener: RequestListener,
  requests = 1_500,
  params: Account['params'] = {},
): Promise<FuzzReport> {
  server = await startTiny(listener)
  return fuzz({
    origin: server.origin,
    requests,
    seed: SEED,
    knowledge: knowledge(params),
    concurrency: 8,
    timeoutMs: 500,
  })
}

const showBobAll: Misbehave = (request, _, response) => {
  if (request.method !== 'GET' || request.headers.authorization !== 'Bearer key-of-bob') return false
  if (!/^\/things\/thing_\d+$/.test(request.url!)) return false
  answer(response, 200, THING, { 'x-count': '1' })
  return true
}

const textsOf = (report: FuzzReport) => report.findings.map((finding) => findingText(finding, SEED))
const kindsOf = (report: FuzzReport) => [...new Set(report.findings.map(({ fault }) => fault.kind))]
const detailsOf = (report: FuzzReport) => report.findings.flatMap(({ fault }) => fault.details).join('\n')

describe('a correct service', () => {
  test('has no finding, and requests use resources of earlier ones', async () => {
    const report = await run(tinyService())
    expect(textsOf(report)).toEqual([])
    expect(report.requests).toBe(1_500)
    expect(report.coverage.gaps([{ status: '202', reason: 'this service never does' }])).toEqual([])
    expect(report.byStatus.get(200)).toBeGreaterThan(100)
  })

  test('has no finding where two accounts of one tenant see each other’s resources', async () => {
    const report = await run(tinyService(showBobAll), 3_000, { tenant: ['both'] })
    expect(textsOf(report)).toEqual([])
  })

  test('gets the same requests from the same seed', async () => {
    const seen: string[][] = []
    for (const _ of [1, 2]) {
      const requests: string[] = []
      await run(
        tinyService((request, body) => {
          requests.push(
            `${request.method} ${request.url} ${JSON.stringify(request.headers.authorization)} ${body}`,
          )
          return false
        }),
        300,
      )
      await server?.close()
      seen.push(requests.sort())
    }
    expect(seen[0]!.length).toBeGreaterThan(290)
    expect(seen[1]).toEqual(seen[0])
  })
})

describe('a finding is reported for', () => {
  const faults: [title: string, kind: string, words: string, misbehave: Misbehave][] = [
    [
      'an answer with 500, even if only one odd body brings it about',
      'server error',
      'status 500',
      (_, body, response) => {
        if (!body.includes('\\u0000')) return false
        response.writeHead(500).end()
        return true
      },
    ],
    [
      'an answer with 503',
      'server error',
      'status 503',
      (request, _, response) => {
        if (request.headers['if-match'] === undefined) return false
        answer(response, 503, {})
        return true
      },
    ],
    [
      'no answer in time',
      'no answer',
      'within 500 ms',
      (request) => request.method === 'DELETE' && request.url!.includes('%00'),
    ],
    [
      'a connection that breaks',
      'no answer',
      'ECONNRESET',
      (request, body) => {
        if (!body.startsWith('\ufeff')) return false
        request.socket.destroy()
        return true
      },
    ],
    [
      'a status that is not described',
      'not described',
      'the status is not described',
      (request, _, response) => {
        if (request.headers.range === undefined || request.method !== 'GET') return false
        response.writeHead(206, { 'content-type': 'application/json', 'x-count': '1' }).end('{}')
        return true
      },
    ],
    [
      'a member that is not described',
      'not described',
      'additionalProperty',
      (request, _, response) => {
        if (request.method !== 'GET' || !/^\/things\/thing_\d+$/.test(request.url!)) return false
        answer(response, 200, { ...THING, owner: 'ann' }, { 'x-count': '1' })
        return true
      },
    ],
    [
      'a refusal in another form',
      'not described',
      'the content type text/html',
      (request, _, response) => {
        if (request.method !== 'PUT') return false
        response.writeHead(405, { 'content-type': 'text/html' }).end('<h1>No</h1>')
        return true
      },
    ],
    [
      'a message that shows a pattern',
      'pattern shown',
      'must match ^[a-z]+$',
      (request, _, response) => {
        if (request.method !== 'POST' || request.headers.authorization === undefined) return false
        answer(response, 422, { ...problem(422), detail: 'must match ^[a-z]+$' })
        return true
      },
    ],
    [
      'a page where nothing is described',
      'not described',
      'no operation is at this path',
      (request, _, response) => {
        if (!request.url!.startsWith('/THINGS')) return false
        answer(response, 200, {})
        return true
      },
    ],
    [
      'HEAD with a status that GET never has',
      'not described',
      'GET is not described to answer so',
      (request, _, response) => {
        if (request.method !== 'HEAD') return false
        response.writeHead(302).end()
        return true
      },
    ],
    [
      'success without credentials',
      'unauthenticated request accepted',
      '',
      (request) => {
        request.headers.authorization ??= 'Bearer key-of-ann'
        return false
      },
    ],
    ['success with what belongs to another account', 'request of another account accepted', '', showBobAll],
    [
      'success for a body that the document forbids',
      'invalid request accepted',
      'the body',
      (request, body, response) => {
        if (request.method !== 'POST' || request.url !== '/things' || body.includes('{')) return false
        if (request.headers.authorization !== 'Bearer key-of-ann') return false
        answer(response, 201, THING, { location: '/things/x' })
        return true
      },
    ],
  ]

  test.each(faults)('%s', async (_title, kind, words, misbehave) => {
    const report = await run(tinyService(misbehave), 3_000)
    expect(kindsOf(report), textsOf(report).join('\n')).toEqual([kind])
    expect(detailsOf(report)).toContain(words)
    expect(report.findings.some(({ failsAlone }) => failsAlone)).toBe(true)
  })

  test('an intermittent failure, with a note that it does not fail when repeated', async () => {
    let count = 0
    const report = await run(
      tinyService((_request, _body, response) => {
        count += 1
        if (count !== 40) return false
        response.writeHead(500).end()
        return true
      }),
    )
    expect(report.findings).toMatchObject([{ fault: { kind: 'server error' }, failsAlone: false }])
  })

  test('a dead service, which ends the run', async () => {
    const report = await run((request) => request.socket.destroy(), 100_000)
    expect(kindsOf(report)).toEqual(['no answer'])
    expect(report.requests).toBeLessThan(1_000)
  })
})

test('the text of a finding contains everything needed to repeat the request', async () => {
  const report = await run(
    tinyService((request, body, response) => {
      if (request.method !== 'POST' || !body.startsWith('{"name":')) return false
      if (request.headers.authorization === undefined) return false
      answer(response, 500, { why: 'because\u202e' })
      return true
    }),
    300,
  )
  const [finding] = report.findings
  const lines = findingText(finding!, SEED).split('\n')
  expect(lines[0]).toBe(
    `request ${finding!.number} of seed ${SEED}, made for createThing: server error; status 500`,
  )
  expect(lines.some((line) => line.startsWith('  POST /things'))).toBe(true)
  expect(lines.some((line) => line.startsWith('  authorization: '))).toBe(true)
  expect(lines.some((line) => line.startsWith('  body: {"name":'))).toBe(true)
  expect(lines).toContain('  → 500 application/problem+json {"why":"because\\u202e"}')
  expect(lines.at(-1)).toBe(
    `  replay: npx tsx harness/src/fuzz/main.ts --seed ${SEED} --requests ${finding!.number + 1}`,
  )
})
