import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CheckName, checkOf } from '../../src/docs/checks.ts'
import { allBlocks, placeOf, ROOT } from '../../src/docs/pages.ts'
import { apiDocuments } from '../../src/docs/requests.ts'
import { runPosthorn } from '../../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../../src/support/tempDirectory.ts'

let directory: string

beforeAll(() => {
  directory = makeDirectory()
})
afterAll(() => removeDirectory(directory))

const blocks = (check: CheckName, info?: string) =>
  allBlocks().filter((block) => checkOf(block) === check && (info === undefined || block.info === info))

const contentApi = () => apiDocuments().find(({ name }) => name === 'content.openapi.json')!

test('the profiles of the pages have no mistakes', async () => {
  const profiles = blocks('profiles')
  expect(profiles.length).toBeGreaterThan(5)
  for (const block of profiles) {
    // Some blocks show one member.
    const text = block.text.startsWith('{') ? block.text : `{${block.text}}`
    const file = path.join(directory, 'made.json')
    writeFileSync(file, JSON.stringify({ profile: 1, name: 'made', title: 'Made', ...JSON.parse(text) }))
    const { code, stdout, stderr } = await runPosthorn(['service', 'check', file])
    expect([placeOf(block), code, stderr]).toEqual([placeOf(block), 0, ''])
    expect(stdout).toContain('no errors (service made)')
  }
})

test('the errors and requests of the pages are as the API describes them', () => {
  const patch = contentApi().operations.find(({ id }) => id === 'updateContentWebhook')!
  const schemas = {
    'json problem': { pointer: '#/components/schemas/Problem' },
    'json request': patch.body!.content.get('application/json')!,
  }
  for (const [info, schema] of Object.entries(schemas)) {
    const found = blocks('messages', info)
    expect(found.length).toBeGreaterThan(0)
    for (const block of found)
      expect([placeOf(block), contentApi().validate(schema)(JSON.parse(block.text))]).toEqual([
        placeOf(block),
        [],
      ])
  }
})

test.each(['delivery', 'webhook'])(
  'the picture of the states of a %s names the states of the API',
  (thing) => {
    const known = JSON.stringify(apiDocuments().map(({ source }) => source))
    const picture = readFileSync(path.join(ROOT, `docs/public/${thing}-states.svg`), 'utf8')
    const states = Array.from(picture.matchAll(/<text class="name"[^>]*>([^<]+)</g), ([, state]) => state)
    expect(states.length).toBeGreaterThan(2)
    expect(states.filter((state) => !known.includes(`"${state}"`))).toEqual([])
  },
)
