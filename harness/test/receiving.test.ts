import { symlinkSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Relay, type Relayed } from '../src/subscribers/relay.ts'
import {
  type Headers,
  KEY_PAIRS_PROFILE,
  SIGNED_SERVICES,
  type SignedService,
} from '../src/subscribers/signing.ts'
import { Subscriber } from '../src/subscribers/subscriber.ts'
import { prepareProgram, provideToolchain } from '../src/subscribers/toolchains.ts'
import { EVENTS } from '../src/support/events.ts'
import { freePort } from '../src/support/freePort.ts'
import { Api } from '../src/support/http.ts'
import { ADMIN_TOKEN, type PosthornProcess, startService } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { eventually } from '../src/support/waiting.ts'
import { createWorkspace, type NewEvent, type WorkspaceClient } from '../src/support/workspaces.ts'
import { dose } from './dose.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const DELIVERIES = 3
/** Includes the installation of compilers. */
const PROGRAM_TIMEOUT_MS = 600_000
/** Go and Rust compile for long on the first run; for C# the compiler has to be installed. */
const LANGUAGES = dose(
  ['node', 'python', 'ruby', 'php', 'java'],
  ['node', 'python', 'ruby', 'php', 'java', 'go', 'csharp', 'rust'],
)

interface Program {
  readonly id: string
  readonly language: string
  readonly why: string | null
  readonly file: string
  readonly code: string
}

let directory: string
let service: PosthornProcess

beforeAll(async () => {
  directory = makeDirectory()
  service = await startService({ dataDir: path.join(directory, 'data') })
  const api = new Api(() => service.url)
  const added = [...SIGNED_SERVICES.map(({ profile }) => profile), KEY_PAIRS_PROFILE]
  for (const profile of added)
    if (profile !== null) await api.post('/admin/v1/services', { token: ADMIN_TOKEN, body: profile })
})

afterAll(async () => {
  await service.kill()
  removeDirectory(directory)
})

async function programsOf(dialect: string): Promise<readonly Program[]> {
  const response = await fetch(`${service.url}/receive/${dialect}.json`)
  return ((await response.json()) as { readonly programs: readonly Program[] }).programs
}

const eventOf = ({ dialect }: Pick<SignedService, 'dialect'>): Omit<NewEvent, 'id'> => {
  if (dialect === 'content' || dialect === 'ads') return EVENTS[dialect].make(EVENTS[dialect].common)
  return { type: 'invoice.paid', content: { note: 'für später “✓”' } }
}

/** A running program, and a webhook that delivers to it through a relay. */
interface Running {
  readonly workspace: WorkspaceClient
  readonly webhookId: string
  readonly secret: string
  readonly relay: Relay
  readonly output: () => string
  stop(): Promise<void>
}

async function runProgram(
  { id, language, file, code }: Program,
  signed: Pick<SignedService, 'dialect'>,
): Promise<Running> {
  const home = makeDirectory(directory)
  // The programs find libraries here.
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(home, 'node_modules'))
  const port = await freePort()
  const command = await prepareProgram(language, { file, code }, { directory: home, port })
  const relay = await Relay.start(`http://127.0.0.1:${port}`)
  const slug = `${signed.dialect}-${id}`
  const workspace = await createWorkspace(() => service.url, signed.dialect, slug)
  const webhook = await workspace.createWebhook(relay.urlOf('/hook'), [eventOf(signed).type])
  const env = { WEBHOOK_SECRET: webhook.publicKey ?? webhook.secret, PORT: String(port) }
  const subscriber = await Subscriber.start({ command, directory: home, port, env })
  return {
    ...{ workspace, relay, webhookId: webhook.id, secret: webhook.secret, output: () => subscriber.output },
    stop: async () => {
      await Promise.all([subscriber.stop(), relay.stop()])
    },
  }
}

const relayed = (relay: Relay, count: number) =>
  eventually(() => (relay.relayed.length >= count ? relay.relayed : null), {
    withinMs: 20_000,
    what: `${count} deliveries`,
  })

const isAccepted = ({ status }: Pick<Relayed, 'status'>) => status >= 200 && status < 300
const nowSeconds = () => Math.floor(Date.now() / 1_000)

/** The same with another character in the middle. */
const altered = (text: string) => {
  const at = Math.floor(text.length / 2)
  return `${text.slice(0, at)}${text[at] === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`
}

async function checkDeliveries(
  { workspace, webhookId, relay, output }: Running,
  signed: Pick<SignedService, 'dialect'>,
) {
  await workspace.publish(Array.from({ length: DELIVERIES }, () => eventOf(signed)))
  const requests = await relayed(relay, DELIVERIES)
  expect(requests.filter(isAccepted), output()).toHaveLength(DELIVERIES)
  await eventually(() => (output().match(/verified/g)?.length === DELIVERIES ? true : null), {
    withinMs: 5_000,
    what: 'a line of output for each delivery',
  })
  const log = await eventually(
    async () => {
      const deliveries = await workspace.deliveries(webhookId)
      return deliveries.every(({ status }) => status === 'delivered') ? deliveries : null
    },
    { withinMs: 10_000, what: 'the results in the log' },
  )
  expect(log).toHaveLength(DELIVERIES)
  return requests[0]!
}

async function checkForgeries({ relay, secret }: Running, signed: SignedService, genuine: Relayed) {
  const { body, headers } = genuine
  const ask = (change: Partial<Relayed>) => relay.send({ ...genuine, ...change })
  const resigned = (secrets: readonly string[], at = nowSeconds()) =>
    ask({ headers: { ...headers, ...signed.headers(secrets, body, at) } })
  const signatureHeader = Object.keys(headers).find((name) => /sig/.test(name))!
  const rejected = { status: 400, answer: expect.stringMatching(/signature/i) }

  expect(await ask({ body: Buffer.from(altered(body.toString())) }), 'altered body').toMatchObject(rejected)
  expect(await ask({ body: Buffer.concat([body, Buffer.from('\n')]) }), 'longer body').toMatchObject(rejected)
  const forged = altered(headers[signatureHeader]!)
  expect(await ask({ headers: { ...headers, [signatureHeader]: forged } }), forged).toMatchObject({
    status: 400,
  })
  expect(await resigned([signed.other]), 'another secret').toMatchObject(rejected)
  expect(isAccepted(await resigned([secret])), 'the same again').toBe(true)
  if (signed.hasSeveral) {
    expect(isAccepted(await resigned([signed.other, secret])), 'two signatures').toBe(true)
    expect(isAccepted(await resigned([secret, signed.other])), 'two signatures').toBe(true)
  }
  if (!signed.isTimed) return
  const old = { status: 400, answer: expect.stringMatching(/timestamp/i) }
  expect(await resigned([secret], nowSeconds() - 360), 'too old').toMatchObject(old)
  expect(await resigned([secret], nowSeconds() + 360), 'too new').toMatchObject(old)
  expect(isAccepted(await resigned([secret], nowSeconds() - 240)), 'in time').toBe(true)
}

/** The program keeps the secret that is being replaced. */
async function checkRotation({ workspace, webhookId, relay }: Running, signed: SignedService) {
  const before = relay.relayed.length
  const api = new Api(() => service.url)
  await api.post(`${workspace.webhookPath(webhookId)}/rotate-secret`, { token: workspace.key })
  await workspace.publish([eventOf(signed)])
  const requests = await relayed(relay, before + 1)
  expect(requests.slice(before).map(({ answer, ...request }) => isAccepted(request) || answer)).toEqual([
    true,
  ])
}

const NONSENSE = [
  '',
  ' ',
  'äöü',
  '9'.repeat(400),
  '-1',
  't=soon,v1=x',
  'at "soon" for acme',
  '[',
  ',;,',
  'v1,',
  'sha256=',
]

async function checkNonsense({ relay }: Running, signed: SignedService, genuine: Relayed) {
  const { headers } = genuine
  const send = (changed: Headers) => relay.send({ ...genuine, headers: changed })
  const names = Object.keys(signed.headers([signed.other], genuine.body, nowSeconds())).filter(
    (name) => signed.isTimed || /sig/.test(name),
  )
  const verifying = names.filter((name) => !/x-event/.test(name))
  for (const name of verifying) {
    const { [name]: _, ...others } = headers
    expect(await send(others), `without ${name}`).toMatchObject({ status: 400 })
    for (const value of NONSENSE) {
      const encoded = Buffer.from(value).toString('latin1')
      expect(await send({ ...headers, [name]: encoded }), `${name}: ${value}`).toMatchObject({ status: 400 })
    }
  }
  const large = Buffer.alloc(1_100_000, 0x20)
  // Some close the connection before they have read it.
  const answer = await relay.send({ ...genuine, body: large }).catch(() => ({ status: 413 }))
  expect([400, 413]).toContain(answer.status)
  expect(isAccepted(await send(headers)), 'lives on').toBe(true)
}

describe.each(SIGNED_SERVICES)('of $dialect', (signed) => {
  let programs: readonly Program[]
  beforeAll(async () => {
    programs = await programsOf(signed.dialect)
  })

  test.for(LANGUAGES)(
    'each receiver in %s verifies live deliveries and rejects unsigned requests',
    { timeout: PROGRAM_TIMEOUT_MS },
    async (language, { skip }) => {
      const missing = provideToolchain(language)
      skip(missing !== null, `receivers in ${language} are not tested: ${missing}`)
      const found = programs.filter((program) => program.language === language)
      expect(found.length).toBeGreaterThan(0)
      for (const program of found) {
        if (!signed.languagesWithout.includes(language)) expect(program.why).toBeNull()
        else {
          expect(program.why).toMatch(/cannot/)
          continue
        }
        const running = await runProgram(program, signed)
        try {
          const genuine = await checkDeliveries(running, signed)
          await checkForgeries(running, signed, genuine)
          await checkNonsense(running, signed, genuine)
          if (signed.hasSeveral) await checkRotation(running, signed)
        } finally {
          await running.stop()
        }
      }
    },
  )
})

test('with key pairs, the library verifies with the public key, and other programs say why they cannot', async () => {
  const programs = await programsOf(KEY_PAIRS_PROFILE.name)
  const [program, ...others] = programs.filter(({ why }) => why === null)
  expect(others).toEqual([])
  for (const { why } of programs.filter(({ why }) => why !== null)) expect(why).toMatch(/Ed25519/)
  const signed = { dialect: KEY_PAIRS_PROFILE.name }
  const running = await runProgram(program!, signed)
  try {
    const genuine = await checkDeliveries(running, signed)
    const body = Buffer.from(altered(genuine.body.toString()))
    expect(await running.relay.send({ ...genuine, body })).toMatchObject({ status: 400 })
  } finally {
    await running.stop()
  }
})
