import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adsEvent, contentEvent, TARGET } from './events.ts'
import { ADMIN_TOKEN, type Call, startTestService, type TestService, type TestWorkspace } from './service.ts'

let service: TestService
let content: TestWorkspace
let ads: TestWorkspace
beforeAll(async () => {
  service = await startTestService()
  content = await service.workspace('content')
  ads = await service.workspace('ads')
})
afterAll(() => service.stop())

/** Any JSON, with strings that break stores and parsers among its values and names. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '\0',
    '\ud800',
    '\u202e',
    'constructor',
    'toString',
    'webhook.test',
    'evt_',
    '../..',
    '%00',
  ),
)
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5 },
    text,
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom(1e308, -0, 2 ** 53, 5e-324),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(text, tie('json'), { maxKeys: 4 }),
  ),
}))

/** A valid body in which members were replaced, dropped or added: it gets further than noise does. */
const mutated = (valid: object) =>
  fc
    .tuple(
      fc.dictionary(fc.oneof(fc.constantFrom('id', ...Object.keys(valid)), text), json, { maxKeys: 3 }),
      fc.subarray(Object.keys(valid)),
    )
    .map(([members, dropped]) => {
      const kept = Object.entries(valid).filter(([name]) => !dropped.includes(name))
      return { ...Object.fromEntries(kept), ...members }
    })

const body = (valid: object) => fc.oneof(json, mutated(valid))

const writes = (): readonly (readonly [Call['method'], string, object, string])[] => {
  const c = `/v1/workspaces/${content.slug}`
  const admin = `/admin/v1/workspaces/${content.slug}`
  return [
    ['POST', `${c}/events`, contentEvent(), content.key],
    ['POST', `${c}/events/batch`, { events: [contentEvent()] }, content.key],
    ['POST', `${c}/webhooks`, { url: TARGET, events: ['plan.ready'], description: '' }, content.key],
    ['PATCH', `${c}/webhooks/ID`, { enabled: false, paused: false, url: TARGET }, content.key],
    ['POST', `${c}/webhooks/ID/rotate-secret`, {}, content.key],
    ['POST', '/api/v1/events', adsEvent(), ads.key],
    ['POST', '/api/v1/events/batch', { events: [adsEvent()] }, ads.key],
    ['POST', '/api/v1/webhooks', { url: TARGET, types: ['deal.created.v1'], description: '' }, ads.key],
    ['PATCH', '/api/v1/webhooks/ID', { url: TARGET, types: [], description: '' }, ads.key],
    ['POST', '/admin/v1/workspaces', { dialect: 'content', slug: 'x', name: 'x' }, ADMIN_TOKEN],
    ['POST', `${admin}/members`, { email: 'a@example.com', name: 'x', role: 'owner' }, ADMIN_TOKEN],
    [
      'POST',
      `${admin}/keys`,
      { name: 'x', scopes: ['webhooks'], expires_at: '2090-01-01T00:00:00Z' },
      ADMIN_TOKEN,
    ],
  ]
}

async function ownWebhooks() {
  const c = { url: `/v1/workspaces/${content.slug}/webhooks`, key: content.key }
  const a = { url: '/api/v1/webhooks', key: ads.key }
  const made = async (where: typeof c, what: object) =>
    (await service.call({ method: 'POST', ...where, body: { url: TARGET, ...what } })).json.id as string
  return {
    content: await made(c, { events: ['plan.ready'] }),
    ads: await made(a, { types: ['deal.created.v1'] }),
  }
}

describe('whatever JSON is sent', () => {
  it('no route ever fails with a 5xx', async () => {
    const ids = await ownWebhooks()
    for (const [method, path, valid, key] of writes()) {
      const url = path.replace('ID', path.startsWith('/api') ? ids.ads : ids.content)
      await fc.assert(
        fc.asyncProperty(body(valid), async (value) => {
          const { status, text: answer } = await service.call({
            method,
            url,
            key,
            body: JSON.stringify(value),
          })
          if (status >= 500) throw new Error(`${method} ${url} answered ${status}: ${answer}`)
        }),
        { numRuns: 120 },
      )
    }
    expect(service.logs.filter((line) => line.includes('"error"'))).toEqual([])
  })
})

describe('whatever path and query are sent', () => {
  it('no route ever fails with a 5xx', async () => {
    const paths = [
      '/v1/workspaces/%/webhooks',
      `/v1/workspaces/${content.slug}/webhooks/%`,
      `/v1/workspaces/${content.slug}/webhooks/%/deliveries/%`,
      `/v1/workspaces/${content.slug}/webhooks/sample?event=%`,
      `/v1/workspaces/${content.slug}/webhooks?cursor=%&limit=%`,
      '/api/v1/webhooks/%',
      '/api/v1/webhook-deliveries/%',
      '/admin/v1/workspaces/%',
      '/admin/v1/workspaces?limit=%',
      `/admin/v1/workspaces/${content.slug}/keys/%`,
      `/admin/v1/workspaces/${content.slug}/members?cursor=%`,
    ]
    const part = fc.oneof(
      fc.string({ unit: 'grapheme' }).map(encodeURIComponent),
      fc.stringMatching(/^(%[0-9a-f]{2}|[a-z0-9_=&%-]){0,30}$/),
    )
    for (const path of paths) {
      const key = path.startsWith('/api') ? ads.key : path.startsWith('/v1') ? content.key : ADMIN_TOKEN
      await fc.assert(
        fc.asyncProperty(part, async (wild) => {
          const url = path.replaceAll('%', wild.replaceAll('$', ''))
          const { status, text: answer } = await service.call({ method: 'GET', url, key })
          if (status >= 500) throw new Error(`${url} answered ${status}: ${answer}`)
        }),
        { numRuns: 80 },
      )
    }
  })
})
