import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { checkProfile } from '../../src/profiles/check.ts'

const builtIn = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../profiles/${name}.json`, import.meta.url), 'utf8'))

const SMALL = {
  profile: 1,
  name: 'billing',
  title: 'Billing',
  catalog: { types: [{ type: 'invoice.paid', title: 'Invoice paid' }] },
}
const V1 = {
  content: '{id}.{timestamp}.{body}',
  algorithm: 'hmac-sha256',
  encoding: 'base64',
  secret: 'base64-after-prefix',
  each: 'v1,{signature}',
}
const { secret: _, ...UNKEYED } = V1
const V1A = { ...UNKEYED, algorithm: 'ed25519', each: 'v1a,{signature}' }
const type = (members: object) => ({ catalog: { types: [{ type: 'a', title: 'A', ...members }] } })
const envelope = (...members: readonly object[]) => ({
  envelope: { members: [{ path: 'data', field: 'data' }, ...members] },
})
const eventMember = (member: object) => ({
  event: { members: { region: { schema: { type: 'string' }, ...member } } },
})

/** Leads to 2^12 schemas, by a few nested references. */
const DOUBLING = {
  $ref: '#/$defs/a0',
  $defs: Object.fromEntries(
    Array.from({ length: 13 }, (_, i) => {
      const next = { $ref: `#/$defs/a${i + 1}` }
      return [`a${i}`, i === 12 ? {} : { anyOf: [next, next] }]
    }),
  ),
}
/** Each level of a value is checked twice: by the reference, and by the schema next to it. */
const BESIDE = {
  $ref: '#/$defs/x',
  $defs: {
    x: { $ref: '#/$defs/y', type: 'object', properties: { a: { $ref: '#/$defs/x' } } },
    y: { type: 'object', properties: { a: { $ref: '#/$defs/x' } } },
  },
}
const nested = (levels: number): object => {
  let value: object = {}
  for (let i = 0; i < levels; i++) value = { value }
  return envelope({ path: 'c', constant: value })
}

describe('a valid profile', () => {
  test.each(['content', 'ads', 'standard'])('such as %s has no errors', (name) => {
    expect(checkProfile(builtIn(name)).errors).toEqual([])
  })

  test('may be a few lines long', () => {
    const { errors, warnings, profile } = checkProfile(SMALL)
    expect({ errors, warnings }).toEqual({ errors: [], warnings: [] })
    expect(profile).toMatchObject({ name: 'billing', case: 'snake', policy: { timeoutMs: 15_000 } })
  })

  test.each([
    ['alone', [{ ...V1A, join: ' ', most: 4 }]],
    ['beside HMAC', [{ ...V1, join: ' ' }, V1A]],
  ])('may sign with key pairs %s', (_, signatures) => {
    const { errors, warnings } = checkProfile({ ...SMALL, signatures })
    expect({ errors, warnings }).toEqual({ errors: [], warnings: [] })
  })

  test.each<[string, object, string]>([
    [
      'a request may have many signatures of key pairs',
      { signatures: [{ ...V1A, join: ' ', most: 16 }] },
      '/signatures/0/most',
    ],
    [
      'its signature can be read in two ways',
      {
        headers: { 'webhook-type': '{type},{id}', 'webhook-signature': 't={timestamp},{signatures}' },
        signatures: [{ ...V1, content: '{timestamp}.{type}{id}.{body}' }],
      },
      '/signatures/0/content',
    ],
    [
      'a header has nothing between two values',
      { headers: { 'x-id': '{id}', 'x-sig': '{timestamp}{signatures}' } },
      '/headers/x-sig',
    ],
    [
      'what is between two values of a header could be part of the first',
      { headers: { 'x-event': '{id}.{timestamp}', 'x-sig': '{signatures}' } },
      '/headers/x-event',
    ],
    [
      'what follows the signatures could be part of them',
      { headers: { 'x-id': '{id}', 'x-sig': '{signatures}, {timestamp}' } },
      '/headers/x-sig',
    ],
    [
      'it signs what no header shows',
      { signatures: [{ ...V1, content: '{attempt}.{timestamp}.{body}' }] },
      '/signatures/0/content',
    ],
    [
      'its signature does not cover the time',
      { signatures: [{ ...V1, content: '{body}' }] },
      '/signatures/0/content',
    ],
    [
      'its requests are not signed',
      { signatures: [], headers: { 'x-id': '{id}' }, unsigned: true },
      '/unsigned',
    ],
    ['a schema has no example', type({ schema: { type: 'object' } }), '/catalog/types/0'],
    ['a required member has no example', eventMember({ required: true }), '/event/members/region'],
  ])('has a warning if %s', (_, change, pointer) => {
    const { errors, warnings } = checkProfile({ ...SMALL, ...change })
    expect(errors).toEqual([])
    expect(warnings).toEqual([{ pointer, message: expect.any(String) }])
  })
})

test('the warning about a header with joined values explains the problem', () => {
  const headers = { 'x-id': '{id}', 'x-sig': '{timestamp}{signatures}' }
  const { warnings } = checkProfile({ ...SMALL, headers })
  expect(warnings[0]!.message).toBe(
    'is ambiguous: receivers cannot see where {timestamp} ends. After it, put a character that it never contains, such as a comma, or use a separate header',
  )
})

const header = (template: string) => ({ headers: { 'x-sig': '{signatures}', 'x-other': template } })
const sign = (change: object) => ({ signatures: [{ ...V1, ...change }] })

describe('an invalid profile is rejected, with the position and a valid alternative', () => {
  test.each<[change: unknown, pointer: string, message: RegExp]>([
    [null, '', /must be an object/],
    [[], '', /must be an object/],
    ['content', '', /must be an object/],
    [{ profile: undefined }, '/profile', /is required/],
    [{ profile: 2 }, '/profile', /must be 1/],
    [{ name: undefined }, '/name', /is required/],
    [{ name: 'Billing' }, '/name', /lower-case letters/],
    [{ name: 'a'.repeat(33) }, '/name', /1 to 32/],
    [{ title: '' }, '/title', /at least 1 character/],
    [{ color: 'red' }, '/color', /not a known member/],
    [{ ids: { style: 'short' } }, '/ids/style', /prefixed, uuid/],
    [{ ids: { prefixes: { event: 'EVT' } } }, '/ids/prefixes/event', /such as evt_/],
    [{ ids: { prefixes: { webhook: 'a_', event: 'a_' } } }, '/ids/prefixes/webhook', /must differ/],
    [{ ids: { prefixes: { event: 'wh_' } } }, '/ids/prefixes/webhook', /must differ/],
    [{ event: { members: { toString: { schema: {} } } } }, '/event/members/toString', /must not be toString/],
    [{ event: { time: 'constructor' } }, '/event/time', /must not be constructor/],
    [
      eventMember({ schema: { $defs: { a: {} }, $ref: '#/$defs/a' } }),
      '/event/members/region/schema',
      /insert the schema/,
    ],
    [type({ schema: { type: 'string', pattern: '^(?=a)' } }), '/catalog/types/0/schema', /look-around/],
    [type({ schema: { type: 'string', pattern: '^(a{500}b?){2}$' } }), '/catalog/types/0/schema', /repeat/],
    [type({ schema: { definitions: { a: {} } } }), '/catalog/types/0/schema', /uses definitions/],
    [type({ schema: BESIDE }), '/catalog/types/0/schema', /uses \$ref beside other schemas/],
    [type({ schema: { $id: 'urn:a' } }), '/catalog/types/0/schema', /uses \$id/],
    [type({ schema: { $ref: '#/$defs/a' } }), '/catalog/types/0/schema', /part of the same schema/],
    [
      type({ schema: { anyOf: [{ $ref: '#' }, { type: 'object' }] } }),
      '/catalog/types/0/schema',
      /refers to itself and uses anyOf/,
    ],
    [type({ schema: DOUBLING }), '/catalog/types/0/schema', /more than 5000 schemas/],
    [
      type({ schema: { properties: { a: { type: 'array', uniqueItems: true } } } }),
      '/catalog/types/0/schema',
      /needs maxItems/,
    ],
    [envelope({ path: 'c', constant: 'x'.repeat(20_000) }), '/envelope/members', /bytes of constants/],
    [
      { test: { type: 'a.tested', data: {}, members: { nope: 1 } } },
      '/test/members/nope',
      /not a member of events/,
    ],
    [{ secret: { prefix: 'whpk_' } }, '/secret/prefix', /must not begin with whpk_/],
    [
      {
        signatures: [
          { ...V1, join: ' ' },
          { ...V1, content: '{timestamp}.{body}', each: 'v2,{signature}' },
        ],
      },
      '/signatures/1/content',
      /must sign the same values/,
    ],
    [
      {
        signatures: [
          { ...V1, join: ' ' },
          { ...V1, content: '{timestamp}.{id}.{body}', each: 'v2,{signature}' },
        ],
      },
      '/signatures/1/content',
      /both use the same key/,
    ],
    [
      { operations: { bulk: {}, replay: { from: ['failed'], attempts: 'one' } } },
      '/operations/bulk',
      /"exhausted": "dead"/,
    ],
    [{ operations: { test: { scopes: [] } } }, '/operations/test/scopes', /must contain at least one scope/],
    [nested(70), '', /64 levels deep/],
    [{ ids: { style: 'uuid', prefixes: { event: 'e_' } } }, '/ids/prefixes', /requires the style "prefixed"/],
    [{ case: 'kebab' }, '/case', /snake, camel/],
    [{ words: { webhook: 'hook' } }, '/words/webhook', /webhook, endpoint/],
    [{ event: { data: 'type' } }, '/event/data', /same name as the member type/],
    [{ event: { data: 'at', time: 'at' } }, '/event/time', /same name as the member at/],
    [{ event: { data: '1st' } }, '/event/data', /starting with a letter or an underscore/],
    [{ event: { members: { id: { schema: {} } } } }, '/event/members/id', /same name as the member id/],
    [
      { event: { members: { a_b: { schema: {} }, aB: { schema: {} } } } },
      '/event/members/aB',
      /same name as the member a_b/,
    ],
    [eventMember({ schema: { type: 'text' } }), '/event/members/region/schema', /is not a JSON Schema/],
    [eventMember({ example: 7 }), '/event/members/region/example', /must be a string/],
    [{ envelope: {} }, '/envelope', /at least 1 member/],
    [{ envelope: { bare: false } }, '/envelope/bare', /must be true/],
    [{ envelope: { bare: true, members: [] } }, '/envelope/members', /at least 1 item/],
    [
      { envelope: { bare: true, members: [{ path: 'data', field: 'data' }] } },
      '/envelope',
      /must have either "bare"/,
    ],
    [{ webhook: { state: false } }, '/policy/disable_after', /must be null/],
    [{ words: { event: 'Event' } }, '/words/event', /such as domain event/],
    [{ texts: { createWebhook: 'Make one' } }, '/texts/createWebhook', /such as createWebhook\.summary/],
    [{ envelope: { members: [{ path: 'a', field: 'type' }] } }, '/envelope/members', /must contain the data/],
    [envelope({ path: 'data', field: 'type' }), '/envelope/members/1/path', /is used twice/],
    [envelope({ path: 'a' }), '/envelope/members/1', /either "field" or "constant"/],
    [
      envelope({ path: 'a', field: 'id', constant: 1 }),
      '/envelope/members/1',
      /either "field" or "constant"/,
    ],
    [envelope({ path: 'a', field: 'name' }), '/envelope/members/1/field', /workspace\.slug/],
    [
      envelope({ path: 'a', field: 'id', as: 'unix-s' }),
      '/envelope/members/1/as',
      /requires "field": "time"/,
    ],
    [envelope({ path: 'a', field: 'time', as: 'rfc' }), '/envelope/members/1/as', /iso-ms, unix-s, unix-ms/],
    [
      envelope({ path: 'a', field: 'type', otherwise: '' }),
      '/envelope/members/1/otherwise',
      /in every event/,
    ],
    [envelope({ path: 'a..b', field: 'type' }), '/envelope/members/1/path', /such as data\.object/],
    [
      envelope({ path: 'a', field: 'type' }, { path: 'a.b', field: 'id' }),
      '/envelope/members/1/path',
      /must have "field": "data"/,
    ],
    [
      { headers: { 'Content-Type': '{id}', 'x-sig': '{signatures}' } },
      '/headers/Content-Type',
      /service itself/,
    ],
    [{ headers: { 'x sig': '{signatures}' } }, '/headers/x sig', /such as X-Billing-Signature/],
    [{ headers: { 'x-sig': '{signatures}', 'X-Sig': 'a' } }, '/headers/X-Sig', /must differ/],
    [header('{signature}'), '/headers/x-other', /unknown placeholder \{signature\}; there are \{id\}/],
    [header('{id'), '/headers/x-other', /without a }/],
    [header('naïve'), '/headers/x-other', /visible ASCII/],
    [header('{signatures}'), '/headers', /contains it 2 times/],
    [{ headers: { 'x-id': '{id}' } }, '/headers', /does not contain it/],
    [{ signatures: [] }, '/signatures', /anyone can forge/],
    [{ unsigned: true }, '/unsigned', /must be removed/],
    [{ signatures: [], unsigned: true }, '/headers', /must not contain \{signatures\}/],
    [sign({ content: '{id}' }), '/signatures/0/content', /must end with \{body\}/],
    [sign({ content: '{body}.{id}' }), '/signatures/0/content', /must end with \{body\}/],
    [sign({ content: '{body}{body}' }), '/signatures/0/content', /contain it once/],
    [sign({ content: '{secret}{body}' }), '/signatures/0/content', /unknown placeholder/],
    [sign({ each: 'v1={signature}\r\n' }), '/signatures/0/each', /visible ASCII/],
    [sign({ join: '\n' }), '/signatures/0/join', /visible ASCII/],
    [sign({ each: 'v1' }), '/signatures/0/each', /must contain \{signature\} once/],
    [sign({ algorithm: 'hmac-md5' }), '/signatures/0/algorithm', /hmac-sha256, hmac-sha512, ed25519/],
    [sign({ encoding: 'base32' }), '/signatures/0/encoding', /hex, base64/],
    [sign({ secret: undefined }), '/signatures/0/secret', /is required/],
    [sign({ secret: 'hex' }), '/signatures/0/secret', /which is base64/],
    [sign({ algorithm: 'ed25519' }), '/signatures/0/secret', /only for HMAC/],
    [sign({ most: 4 }), '/signatures/0/join', /is required/],
    [{ signatures: [{ ...V1A, most: 4 }] }, '/signatures/0/join', /is required/],
    [{ signatures: [V1, { ...V1A, join: ' ' }] }, '/signatures/0/join', /is required/],
    [sign({ most: 17, join: ' ' }), '/signatures/0/most', /at most 16/],
    [{ secret: { bytes: 8 } }, '/secret/bytes', /at least 24/],
    [{ secret: { prefix: 'sec ret' } }, '/secret/prefix', /such as whsec_/],
    [{ policy: { timeout: '15' } }, '/policy/timeout', /such as 30s/],
    [{ policy: { timeout: '5m' } }, '/policy/timeout', /between 100ms and 60s/],
    [{ policy: { waits: ['1s', '31d'] } }, '/policy/waits/1', /between 0s and 30d/],
    [{ policy: { jitter: 2 } }, '/policy/jitter', /at most 0\.5/],
    [{ policy: { gone: 'ignore' } }, '/policy/gone', /disable, end, retry/],
    [
      { policy: { waits: ['1s'], backoff: { first: '1s', factor: 2, longest: '1h', attempts: 5 } } },
      '/policy/backoff',
      /cannot be combined/,
    ],
    [{ access: { keys: ['a'] } }, '/access/publish/0', /one of the scopes/],
    [{ access: { publish: [] } }, '/access/publish', /must contain at least one scope/],
    [{ access: { contents: 'all' } }, '/access/contents/0', /one of the scopes/],
    [{ operations: { test: { scopes: ['admin'] } } }, '/operations/test/scopes/0', /one of the scopes/],
    [
      { operations: { redeliver: { from: ['pending'], attempts: 'one' } } },
      '/operations/redeliver/from/0',
      /delivered/,
    ],
    [{ operations: { bulk: {} } }, '/operations/bulk', /operation "replay"/],
    [{ limits: { webhooks: 0 } }, '/limits/webhooks', /at least 1/],
    [{ catalog: { open: false } }, '/catalog', /must contain an event type/],
    [type({ type: 'invoice paid' }), '/catalog/types/0/type', /such as invoice\.paid/],
    [type({ title: undefined }), '/catalog/types/0/title', /is required/],
    [type({ schema: { type: 'thing' } }), '/catalog/types/0/schema', /is not a JSON Schema/],
    [
      type({ schema: { type: 'object', required: ['n'], properties: { n: {} } }, example: {} }),
      '/catalog/types/0/example/n',
      /is required/,
    ],
    [type({ members: { region: 'eu' } }), '/catalog/types/0/members/region', /not a member of events/],
    [
      { catalog: { types: [SMALL.catalog.types[0], SMALL.catalog.types[0]] } },
      '/catalog/types/1/type',
      /is used twice/,
    ],
    [{ test: { type: 'invoice.paid', data: {} } }, '/test/type', /choose another/],
  ])('%j', (change, pointer, message) => {
    const whole = typeof change === 'object' && change !== null && !Array.isArray(change)
    const document: unknown = whole ? JSON.parse(JSON.stringify({ ...SMALL, ...change })) : change
    const { errors, profile } = checkProfile(document)
    expect(errors).toContainEqual({ pointer, message: expect.stringMatching(message) })
    expect(profile).toBeNull()
  })
})
