import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { adsService, contentService, standardService } from '../src/profiles/builtIn.ts'
import type { ProfileDocument } from '../src/profiles/format.ts'
import { profileOf } from '../src/profiles/profile.ts'
import { LANGUAGES, type ReceiverProgram, receiverPrograms } from '../src/receiverPrograms/index.ts'
import { receiverPage } from '../src/receiverPrograms/page.ts'

// The harness runs the programs against a service: harness/test/receiving.test.ts.

const PROFILES = new URL('../profiles/', import.meta.url)
const URL_OF_SERVICE = 'https://hooks.example'
const SIGNATURE = {
  content: '{id}.{timestamp}.{body}',
  algorithm: 'hmac-sha256',
  encoding: 'base64',
  secret: 'base64-after-prefix',
  each: 'v1,{signature}',
  join: ' ',
} as const
const KEY_PAIR = {
  content: '{id}.{timestamp}.{body}',
  algorithm: 'ed25519',
  encoding: 'base64',
  each: 'v1a,{signature}',
  join: ' ',
} as const

const programsOf = (change: Partial<ProfileDocument>) =>
  receiverPrograms(profileOf({ profile: 1, name: 'made', title: 'Made', ...change }), URL_OF_SERVICE)

type Whole = ReceiverProgram & { readonly why: null }
const wholeOf = (programs: readonly ReceiverProgram[]) =>
  programs.filter((program): program is Whole => program.why === null)
const idsOf = (programs: readonly ReceiverProgram[]) => programs.map(({ id }) => id)
const OWN = ['node', 'python', 'go', 'ruby', 'php', 'java', 'csharp', 'rust']

describe('the programs of a service', () => {
  it('exist in eight languages, and in Node.js with libraries too', () => {
    expect(LANGUAGES.map(({ id }) => id)).toEqual(OWN)
    const { profile } = standardService()
    const programs = receiverPrograms(profile, URL_OF_SERVICE)
    expect(idsOf(wholeOf(programs))).toEqual([
      'node',
      'node-posthorn',
      'node-standardwebhooks',
      ...OWN.slice(1),
    ])
  })

  it('exist in every language for every built-in profile', () => {
    for (const file of readdirSync(PROFILES)) {
      const document = JSON.parse(readFileSync(new URL(file, PROFILES), 'utf8')) as ProfileDocument
      const programs = receiverPrograms(profileOf(document), URL_OF_SERVICE)
      expect([file, idsOf(programs.filter(({ why }) => why !== null))]).toEqual([file, []])
    }
  })

  it('are the same for content and for Standard Webhooks', () => {
    expect(receiverPrograms(contentService().profile, URL_OF_SERVICE)).toEqual(
      receiverPrograms(standardService().profile, URL_OF_SERVICE),
    )
  })

  it('name the headers and the prefix of the service, and never the secret', () => {
    for (const { id, code, run } of wholeOf(receiverPrograms(adsService().profile, URL_OF_SERVICE))) {
      if (id !== 'node-posthorn') expect(code, id).toMatch(/X.SERVICE.SIGNATURE/i)
      expect(code, id).not.toMatch(/whsec_/)
      expect(run, id).toMatch(/^WEBHOOK_SECRET='…' /)
    }
  })

  it('install the package from the service itself, at its public address', () => {
    const found = wholeOf(programsOf({})).find(({ id }) => id === 'node-posthorn')
    expect(found?.setup).toEqual(['npm install https://hooks.example/downloads/posthorn-receiver.tgz'])
  })

  it('show the secret unchanged in a shell, whatever its prefix', () => {
    const [program] = wholeOf(programsOf({ secret: { prefix: "it's_", encoding: 'base64' } }))
    expect(program?.run).toBe("WEBHOOK_SECRET='it'\\''s_…' node receiver.mjs")
  })
})

describe('if no program can verify requests, the page says so', () => {
  const whysOf = (programs: readonly ReceiverProgram[]) =>
    new Set(programs.flatMap(({ why }) => (why === null ? [] : [why])))

  it('because requests are not signed', () => {
    const programs = programsOf({ signatures: [], headers: { 'X-Id': '{id}' }, unsigned: true })
    expect(wholeOf(programs)).toEqual([])
    expect([...whysOf(programs)]).toEqual([expect.stringContaining('does not sign its requests')])
  })

  it('because only Ed25519 signs, which the library supports', () => {
    const programs = programsOf({ signatures: [KEY_PAIR] })
    expect(idsOf(wholeOf(programs))).toEqual(['node-posthorn'])
    expect(wholeOf(programs)[0]).toMatchObject({
      run: "WEBHOOK_SECRET='whpk_…' node receiver.mjs",
      code: expect.stringContaining('"ed25519"'),
    })
    expect([...whysOf(programs)]).toEqual([expect.stringContaining('Ed25519')])
  })

  it('but with both kinds the shared secret is enough', () => {
    const programs = programsOf({ signatures: [SIGNATURE, KEY_PAIR] })
    expect(idsOf(wholeOf(programs))).toEqual(['node', 'node-posthorn', ...OWN.slice(1)])
  })

  it('because a signed value is in no header', () => {
    const programs = programsOf({ headers: { 'webhook-signature': '{signatures}', 'webhook-id': '{id}' } })
    expect(wholeOf(programs)).toEqual([])
    expect([...whysOf(programs)]).toEqual([
      'Requests cannot be verified: {timestamp} is signed, but no header shows it.',
    ])
  })

  it.each([
    '{timestamp}{signatures}',
    '{id}-{signatures}',
    '{signatures},{timestamp}',
    '{timestamp:iso}:{signatures}',
  ])('because the values in the header %s are ambiguous', (template) => {
    const programs = programsOf({
      headers: { 'X-Signature': template, 'X-Id': '{id}', 'X-At': '{timestamp}' },
      signatures: [{ ...SIGNATURE, join: ',' }],
    })
    expect(wholeOf(programs)).toEqual([])
    expect([...whysOf(programs)]).toEqual([
      expect.stringContaining('unclear where the values in the header X-Signature begin'),
    ])
  })

  it('because Rust cannot read dates', () => {
    const programs = programsOf({
      headers: { 'X-At': '{timestamp:iso}', 'X-Signature': '{signatures}' },
      signatures: [{ ...SIGNATURE, content: '{timestamp:iso}{body}' }],
    })
    expect(idsOf(programs.filter(({ why }) => why !== null))).toEqual(['rust'])
  })
})

describe('the page of a language', () => {
  it('has the program, and the command that starts it', () => {
    const services = [{ profile: contentService().profile, title: null }]
    const page = receiverPage('ruby', services, URL_OF_SERVICE, null)
    expect(page).toMatch(/^# Receive webhooks in Ruby\n/)
    expect(page).toContain('```sh\ngem install puma\n```')
    expect(page).toContain('```ruby\nrequire "json"\n')
    expect(page).toContain("WEBHOOK_SECRET='whsec_…' puma --port 3000 receiver.ru")
  })

  it('does not exist for an unknown language', () => {
    expect(receiverPage('cobol', [], URL_OF_SERVICE, null)).toBeNull()
  })
})
