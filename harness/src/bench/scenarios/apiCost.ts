import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startService } from '../../support/posthorn.ts'
import { Program } from '../../support/program.ts'
import { makeDirectory, removeDirectory } from '../../support/tempDirectory.ts'
import { createWorkspace } from '../../support/workspaces.ts'
import { readSchemas } from '../apiSchemas.ts'
import { cpuMicroseconds, describeMachine } from '../proc.ts'
import { BARE_API, type BareApiListening, type BareApiStart } from '../programs/bareApi.ts'
import {
  type FromRequester,
  REQUESTER,
  type RepeatedRequest,
  type RequesterStart,
  type ToRequester,
} from '../programs/requester.ts'
import type { Scenario } from '../scenario.ts'
import { type Summary, summarize, table } from '../statistics.ts'

const OPERATIONS = ['create', 'list', 'publish'] as const
type Operation = (typeof OPERATIONS)[number]
type Requests = Readonly<Record<Operation, RepeatedRequest>>
/** CPU µs of a request. */
type Costs = Readonly<Record<Operation, number>>

const EVENT_TYPE = 'campaign.status_changed.v1'
const ENTITY_ID = '01a0385c-c91e-7b42-9d0a-3e6f8c2b7a11'
const IN_FLIGHT = 32
const WARM_UP_MS = 3_000

interface Round {
  readonly posthorn: Costs
  readonly bare: Costs
}

const JSON_TYPE = { 'content-type': 'application/json' }
const ENDPOINT = {
  url: 'https://hooks.acme-receiver.com/ads',
  types: ['campaign.created.v1', 'report.ready.v1'],
  description: 'The bench',
}
const EVENT = {
  type: EVENT_TYPE,
  entityType: 'campaign',
  entityId: ENTITY_ID,
  payload: { from: 'paused', to: 'active' },
  occurredAt: '2026-03-14T09:26:53.589Z',
}

function requestsOf(
  paths: { webhooks: string; events: string },
  keys: { manage: string; publish: string },
): Requests {
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  const post = (at: string, key: string, body: object, expectedStatus: number): RepeatedRequest => ({
    method: 'POST',
    path: at,
    headers: { ...JSON_TYPE, ...bearer(key) },
    body: JSON.stringify(body),
    expectedStatus,
  })
  return {
    create: post(paths.webhooks, keys.manage, ENDPOINT, 201),
    list: {
      method: 'GET',
      path: `${paths.webhooks}?limit=20`,
      headers: bearer(keys.manage),
      body: null,
      expectedStatus: 200,
    },
    publish: post(paths.events, keys.publish, EVENT, 202),
  }
}

async function measure(
  pid: number,
  origin: string,
  request: RepeatedRequest,
  seconds: number,
): Promise<number> {
  const start: RequesterStart = { origin, request, inFlight: IN_FLIGHT }
  const requester = new Program<ToRequester, FromRequester>(REQUESTER, start)
  let failure: string | null = null
  requester.on('failed', ({ reason }) => {
    failure ??= reason
  })
  const sample = async () => ({
    answered: (await requester.ask({ kind: 'count' }, 'count')).answered,
    cpu: cpuMicroseconds(pid),
  })
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  try {
    await pause(WARM_UP_MS)
    const before = await sample()
    await pause(seconds * 1000)
    const after = await sample()
    if (failure !== null) throw new Error(`a request failed: ${failure}`)
    return (after.cpu - before.cpu) / (after.answered - before.answered)
  } finally {
    await requester.stop()
  }
}

/** In this order: the list finds what was created. */
async function measureAll(pid: number, origin: string, requests: Requests, seconds: number): Promise<Costs> {
  const costs: Partial<Record<Operation, number>> = {}
  for (const operation of OPERATIONS) {
    costs[operation] = await measure(pid, origin, requests[operation], seconds)
  }
  return costs as Costs
}

async function runRound(seconds: number, dataParent: string): Promise<Round> {
  const directory = makeDirectory(dataParent)
  const service = await startService({ dataDir: path.join(directory, 'data') })
  try {
    // Nobody listens to what is published, so that the publish alone is measured and no delivery.
    const manager = await createWorkspace(() => service.url, 'ads', 'bench-manager')
    const publisher = await createWorkspace(() => service.url, 'ads', 'bench-publisher')
    const paths = { webhooks: '/api/v1/webhooks', events: '/api/v1/events' }
    const requests = requestsOf(paths, { manage: manager.key, publish: publisher.key })
    const schemas = await readSchemas(service.url, EVENT_TYPE)
    const posthorn = await measureAll(service.pid, service.url, requests, seconds)
    await service.stop()
    return { posthorn, bare: await runBare(path.join(directory, 'bare.db'), schemas, requests, seconds) }
  } finally {
    await service.kill()
    removeDirectory(directory)
  }
}

async function runBare(
  databaseFile: string,
  schemas: Omit<BareApiStart, 'databaseFile'>,
  requests: Requests,
  seconds: number,
): Promise<Costs> {
  const start: BareApiStart = { databaseFile, ...schemas }
  const api = new Program<never, BareApiListening>(BARE_API, start)
  try {
    const { port } = await api.next('listening')
    const at = (request: RepeatedRequest, to: string) => ({ ...request, path: to })
    const same: Requests = {
      create: at(requests.create, '/endpoints'),
      list: at(requests.list, '/endpoints?limit=20'),
      publish: at(requests.publish, '/events'),
    }
    return await measureAll(api.pid, `http://127.0.0.1:${port}`, same, seconds)
  } finally {
    await api.stop()
  }
}

function tableOf(rounds: readonly Round[]): string {
  const show = ({ median, min, max }: Summary, digits: number) =>
    `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`
  const rows = OPERATIONS.map((operation) => {
    const of = (pick: (round: Round) => number, digits: number) => show(summarize(rounds.map(pick)), digits)
    return [
      operation,
      of((round) => round.posthorn[operation], 1),
      of((round) => round.bare[operation], 1),
      of((round) => round.posthorn[operation] / round.bare[operation], 2),
    ]
  })
  return table([['CPU µs a request', 'posthorn', 'bare Fastify + SQLite', 'ratio'], ...rows])
}

export const apiCost: Scenario = {
  name: 'api',
  summary: 'CPU of a create, a list and a publish, beside a bare Fastify route with one SQLite statement',
  usage: [
    '  --rounds N      rounds of both, in turn (3)',
    '  --seconds N     measured for each operation, after a warm-up (8)',
    '  --data-dir DIR  where the temporary stores are made (the directory of temporary files)',
  ].join('\n'),

  async run(args) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        rounds: { type: 'string', default: '3' },
        seconds: { type: 'string', default: '8' },
        'data-dir': { type: 'string', default: os.tmpdir() },
      },
    })
    const machine = describeMachine(values['data-dir'])
    process.stdout.write(
      `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, load before ${machine.loadBefore.toFixed(2)}\n`,
    )
    const rounds: Round[] = []
    for (let number = 1; number <= Number(values.rounds); number++) {
      rounds.push(await runRound(Number(values.seconds), values['data-dir']))
      process.stdout.write(`round ${number} of ${values.rounds} done\n`)
    }
    process.stdout.write(`\n${tableOf(rounds)}`)
    return true
  },
}
