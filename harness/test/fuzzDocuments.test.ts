import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiDocument } from '../src/api/apiDocument.ts'
import type { JsonSchema } from '../src/api/jsonSchema.ts'
import { loadDocuments } from '../src/api/load.ts'
import { arbitraryOf } from '../src/fuzz/values/arbitrary.ts'
import { type PosthornProcess, startService } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'

let directory: string
let service: PosthornProcess
let documents: readonly ApiDocument[]

beforeAll(async () => {
  directory = makeDirectory()
  service = await startService({ dataDir: path.join(directory, 'data') })
  documents = await loadDocuments(service.url)
})

afterAll(async () => {
  await service.kill()
  removeDirectory(directory)
})

/** Pointers of every named schema, and of unnamed ones of bodies and parameters. */
function schemasOf({ source, operations }: ApiDocument): readonly string[] {
  const named = Object.keys(source.components?.schemas ?? {}).map((name) => `#/components/schemas/${name}`)
  const places = operations.flatMap(({ parameters, body, responses }) => [
    ...parameters.map(({ schema }) => schema),
    ...(body?.content.values() ?? []),
    ...[...responses.values()].flatMap(({ content }) => [...content.values()]),
  ])
  return [...new Set([...named, ...places.flatMap((place) => place?.pointer ?? [])])]
}

test.each(['content', 'ads', 'admin', 'console'])(
  'values generated from every schema of the %s document are valid',
  (name) => {
    const document = documents.find((one) => one.name === name)!
    const resolve = (ref: string) => document.places.at<JsonSchema>(ref).value
    const pointers = schemasOf(document)
    expect(pointers.length).toBeGreaterThan(10)
    for (const pointer of pointers) {
      const validate = document.validate({ pointer })
      const values = arbitraryOf({ $ref: pointer }, { resolve, override: () => null })
      for (const value of fc.sample(values, { numRuns: 30, seed: 3 })) {
        expect(validate(JSON.parse(JSON.stringify(value))), pointer).toEqual([])
      }
    }
  },
)

test('operation ids are unique over all documents', () => {
  const ids = documents.flatMap(({ operations }) => operations.map(({ id }) => id))
  expect(ids.length).toBeGreaterThan(40)
  expect(new Set(ids).size).toBe(ids.length)
})
