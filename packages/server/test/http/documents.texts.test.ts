import { describe, expect, it } from 'vitest'
import type { EventService } from '../../src/http/documents/events/service.ts'
import { scopeRows } from '../../src/http/documents/texts/scopes.ts'
import { serviceText } from '../../src/http/documents/texts/service.ts'
import { signatures } from '../../src/http/documents/texts/signatures.ts'
import { described, SERVICES, withName } from './profileDocuments.ts'

const named = (name: string) => SERVICES.find(([other]) => other === name)![1]
const textOf = (service: EventService) => serviceText(service, {}, {}).description

/** The numbered steps of how to verify a request. */
const stepsOf = (service: EventService) => signatures(service).match(/^\d\. .*$/gm) ?? []

describe('the section about signatures', () => {
  it('names Standard Webhooks where requests are signed that way, also under other names', () => {
    const text = 'as [Standard Webhooks](https://www.standardwebhooks.com) says'
    expect(signatures(withName('standard'))).toContain(`${text}:`)
    expect(signatures(withName('svix'))).toContain(`${text}, under other header names:`)
    for (const other of ['ads', 'github', 'stripe'])
      expect(signatures(withName(other))).not.toContain('Standard Webhooks')
  })

  it.each([
    ['content', "{ scheme: 'standard', secrets }"],
    ['standard', "{ scheme: 'standard', secrets }"],
    ['ads', "{ scheme: 'service', secrets }"],
    ['github', '{ scheme: profileScheme(profile), secrets }'],
    ['shopify', '{ scheme: profileScheme(profile), secrets }'],
    ['stripe', '{ scheme: profileScheme(profile), secrets }'],
    ['svix', '{ scheme: profileScheme(profile), secrets }'],
  ])('says for %s how a receiver is created', (name, options) => {
    expect(signatures(withName(name))).toContain(`\`createReceiver(${options})\``)
  })

  it('says how a header with a time and several signatures is read', () => {
    expect(stepsOf(withName('stripe')).slice(1)).toEqual([
      '2. `Stripe-Signature` has the form `t={timestamp},{signatures}`. Read the timestamp and signatures from it.',
      '3. Concatenate the timestamp, a dot and the body.',
      '4. Compute the HMAC-SHA256 of that. The key is the whole secret, including `whsec_`, as UTF-8 bytes.',
      '5. A signature is `v1=` and the result in lower-case hex; there can be several, separated by a comma, while replaced secrets still sign. One match is enough. Compare in constant time.',
      '6. Reject a timestamp that differs from the current time by more than 5 minutes, so that old requests cannot be replayed.',
    ])
  })

  it('requires no check of an unsigned time', () => {
    expect(stepsOf(withName('shopify')).slice(1)).toEqual([
      '2. Compute the HMAC-SHA256 of it. The key is the secret itself, as UTF-8 bytes.',
      '3. `X-Shopify-Hmac-SHA256` holds the base64 of the result. Compare in constant time.',
    ])
  })

  it.each([
    ['standard', 'Remember the `webhook-id` of processed requests', '; order events by `timestamp`.'],
    ['stripe', 'Remember the `id` of processed requests', '; order events by `created`.'],
    [
      'github',
      'Remember the `X-GitHub-Delivery` of processed requests',
      'accept both secrets during the change.',
    ],
    ['bare-one', 'Requests do not contain an event id', 'processing a request twice is harmless.'],
  ])('says for %s how to recognize a repeated event', (name, start, end) => {
    const paragraph = signatures(named(name)).match(/^(Remember|Requests do not contain) .*$/m)![0]
    expect([paragraph.startsWith(start), paragraph.endsWith(end)]).toEqual([true, true])
  })

  it('explains two kinds of signatures one after the other', () => {
    const text = signatures(named('full'))
    expect(stepsOf(named('full'))).toEqual([
      '1. Take the raw bytes of the body, before you parse it.',
      '2. `X-Sig` has the form `[{timestamp}] {signatures}`. Read the timestamp and signatures from it.',
      '3. Concatenate the timestamp, a colon, `X-Hook`, `` ` `` and the body.',
      '4. Compute the HMAC-SHA512 of that. The key is what is left of the secret after `s_`, decoded from hex.',
      '5. A signature is `a=`, the base64 of the result and `;`; there can be several, separated by `, `, while replaced secrets still sign. One match is enough. Compare in constant time.',
      '6. Reject a timestamp that differs from the current time by more than 5 minutes, so that old requests cannot be replayed.',
      '1. Take the raw bytes of the body, before you parse it.',
      '2. `X-Sig` has the form `[{timestamp}] {signatures}`. Read the timestamp and signatures from it.',
      '3. Concatenate `X-Hook`, a dot, the timestamp, a dot and the body.',
      '4. Compute the HMAC-SHA256 of that. The key is the whole secret, including `s_`, as UTF-8 bytes.',
      '5. A signature is `b.` and the result in lower-case hex. Compare in constant time.',
      '6. Reject a timestamp that differs from the current time by more than 5 minutes, so that old requests cannot be replayed.',
    ])
    expect(text).toContain(`const key = Buffer.from(secret.slice('s_'.length), 'hex')`)
    expect(text).toContain(
      "createHmac('sha512', key).update(`$" + '{timestamp}:$' + '{webhookId}\\``).update(body)',
    )
  })

  it('says plainly that requests are not signed', () => {
    const text = signatures(named('bare-one'))
    expect(text).toContain(
      'Requests of this service are not signed: anyone who knows your URL can forge them',
    )
    expect(text).not.toMatch(/# secret|HMAC|createReceiver/i)
    expect(textOf(named('bare-one'))).toContain('events of Bare as HTTPS requests')
  })
})

describe('the text of a service', () => {
  it('names members as the service writes them', () => {
    expect(textOf(named('full'))).toContain('`nextCursor`')
    expect(textOf(named('billing'))).toContain('`next_cursor`')
  })

  it('says which types and data can be published', () => {
    expect(textOf(named('billing'))).toContain('Its type must be in the catalog')
    expect(textOf(named('full'))).toContain(
      'If the catalog lists the type, the data must be valid under its schema',
    )
    expect(textOf(withName('svix'))).toContain('any well-formed name, and its data may be any object.')
  })
})

describe('scopes', () => {
  const rows = (access: object, operations: object = {}) =>
    scopeRows(described({ profile: 1, name: 'a', title: 'A', access, operations }).served.profile).split('\n')

  it('that allow only one value say which', () => {
    const access = {
      keys: ['p', 'r', 'c', 'w', 't', 'see', 'none'],
      publish: ['p'],
      read: ['r'],
      create: ['c'],
      change: ['w'],
      contents: 'see',
    }
    expect(rows(access, { test: { scopes: ['t'] }, pause: { scopes: ['w', 't'] } })).toEqual([
      '- `p` publishes events',
      '- `r` reads webhooks, events and deliveries',
      '- `c` creates webhooks',
      '- `w` changes and deletes webhooks',
      '- `t` tests webhooks, and is needed besides `w` to disable and enable webhooks',
      expect.stringMatching(/^- `see` is needed to see event bodies, .* generated examples$/),
      '- `none`',
    ])
  })

  it('that allow everything say so in one line', () => {
    const all = ['all']
    expect(rows({ keys: all, publish: all, read: all, create: all, change: all })).toEqual([
      '- `all` publishes events, manages webhooks and reads events and deliveries',
    ])
  })
})
