import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PUBLIC_ONLY } from '../../src/core/targets/index.ts'
import { type Client, type Json, openClient, SERVICES } from './client.ts'
import { startTestService, type TestService } from './service.ts'

interface HostileTargets {
  readonly refuse: readonly { readonly url: unknown; readonly why: string }[]
  readonly accept: readonly { readonly url: string; readonly why: string }[]
}

const hostile = JSON.parse(
  readFileSync(new URL('../egress/hostile-targets.json', import.meta.url), 'utf8'),
) as HostileTargets

const IP_LITERAL = 'The host is an IP address;'

/** Expected text of the message, by mistake; all others are IP addresses in some spelling. */
const SAID: Readonly<Record<string, string>> = {
  'encoded dot': 'The host is percent-encoded;',
  'encoded at': 'The host is percent-encoded;',
  name: 'refers to the local machine;',
  'full width': 'The host "localhost" refers to the local machine;',
  'long s': 'The host "localhost" refers to the local machine;',
  'single label': 'has no dot,',
  mDNS: 'The host "printer.local" is a local network name;',
  special: 'is reserved for tests and documentation;',
  plaintext: 'does not start with https://',
  scheme: 'does not start with https://',
  'no slashes': 'exactly two slashes',
  backslashes: 'has a backslash;',
  'empty user info': 'has a user name or password',
  'user info': 'has a user name or password',
  port: 'Port 6379 is not allowed',
  'port range': 'not a number from 1 to 65535',
  'empty label': 'has an empty part;',
  'label too long': 'longer than 63 characters',
  newline: 'a line break or an invisible character;',
  'NUL first': 'an invisible character;',
  fragment: 'has a fragment (#)',
  empty: 'The URL is empty;',
  'not a URL': 'has a space',
  null: 'must be a string',
  array: 'must be a string',
}

/** The two words that the list uses for names as well as for addresses. */
const SAID_OF_NAMES: Readonly<Record<string, string>> = {
  'https://metadata.goog/': 'is a metadata service of a cloud;',
  'https://nas.lan/': 'is a local network name;',
  'https://wiki.corp/': 'is a local network name;',
}

const expectedFor = (url: unknown, why: string) => SAID_OF_NAMES[String(url)] ?? SAID[why] ?? IP_LITERAL

/** Spellings that `127.0.0.1/32` allows. */
const LOOPBACK = [
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0177.0.0.01/',
  'https://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460/',
]

let strict: TestService
let exempting: TestService
beforeAll(async () => {
  strict = await startTestService(() => ({ egressRules: PUBLIC_ONLY }))
  exempting = await startTestService()
})
afterAll(async () => {
  await Promise.all([strict.stop(), exempting.stop()])
  // Nothing was published, so no requests were sent.
  expect([strict.receiver.requests, exempting.receiver.requests]).toEqual([[], []])
})

const mistakesIn = ({ json }: { json: Json }) => json.errors as { pointer: string; message: string }[]

describe.each(SERVICES)('targets of webhooks of the %s service', (name) => {
  let client: Client
  let path: string
  beforeAll(async () => {
    client = await openClient(strict, name)
    path = (await client.webhook()).path
  })

  const create = (url: unknown, by = client) => by.post('/webhooks', by.webhookBody({ url }))
  const change = (url: unknown, by = client, of = path) => by.call('PATCH', of, { body: { url } })

  it.each(hostile.refuse)('$url is rejected, with the reason: $why', async ({ url, why }) => {
    const before = await client.get('/webhooks')
    for (const answer of [await create(url), await change(url)]) {
      expect([answer.status, answer.json.code]).toEqual([422, 'invalid_request'])
      expect(mistakesIn(answer)).toEqual([
        { pointer: '/url', message: expect.stringContaining(expectedFor(url, why)) },
      ])
    }
    expect((await client.get('/webhooks')).json).toEqual(before.json)
    expect((await client.get(path)).headers.etag).toBe('"v1"')
  })

  it('are rejected with a different text for each kind of mistake', async () => {
    const messages = new Set<string>()
    for (const { url } of hostile.refuse) {
      const { message } = mistakesIn(await create(url))[0]!
      messages.add(message)
      // The schema's own text is only for values that are not strings.
      expect([url, /^must /.test(message)]).toEqual([url, typeof url !== 'string'])
    }
    expect(messages.size).toBeGreaterThanOrEqual(new Set(Object.values(SAID)).size)
  })

  it.each(hostile.accept)('$url is accepted: $why', async ({ url }) => {
    const own = await openClient(strict, name)
    const made = await create(url, own)
    expect(made.status).toBe(201)
    expect(made.json.url).toMatch(/^https:\/\/[a-z0-9_.-]+\//)
    const { path: other } = await own.webhook()
    const changed = await change(url, own, other)
    expect([changed.status, changed.json.url]).toEqual([200, made.json.url])
  })

  it('that an operator allows are accepted in any spelling, and nothing else', async () => {
    const own = await openClient(exempting, name)
    const { path: of } = await own.webhook()
    const accepted = []
    for (const { url } of hostile.refuse) {
      const answer = await change(url, own, of)
      if (answer.status === 200) accepted.push(url)
      else expect([url, answer.status, mistakesIn(answer)[0]!.pointer]).toEqual([url, 422, '/url'])
    }
    expect(accepted.sort()).toEqual([...LOOPBACK].sort())
    const made = await create('http://127.0.0.1:8080/plain', own)
    expect([made.status, made.json.url]).toEqual([201, 'http://127.0.0.1:8080/plain'])
    expect((await create('http://127.0.0.2:8080/plain', own)).status).toBe(422)
  })
})
