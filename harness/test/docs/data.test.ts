import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CheckName, checkOf } from '../../src/docs/checks.ts'
import { allBlocks, placeOf } from '../../src/docs/pages.ts'
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

test('the diagrams of states name the states of the API', () => {
  const known = JSON.stringify(apiDocuments().map(({ source }) => source))
  const diagrams = blocks('states')
  expect(diagrams.length).toBeGreaterThan(1)
  for (const { text } of diagrams) {
    const [kind, ...lines] = text.trimEnd().split('\n')
    expect(kind).toBe('stateDiagram-v2')
    const states = lines.flatMap((line) => line.trim().split(': ')[0]!.split(' --> '))
    const named = new Set(states.filter((state) => state !== '[*]'))
    expect(named.size).toBeGreaterThan(2)
    expect([...named].filter((state) => !known.includes(`"${state}"`))).toEqual([])
  }
})
