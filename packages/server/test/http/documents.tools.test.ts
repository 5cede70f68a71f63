import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkExamples } from '../../../../tools/documents/examples.ts'
import { drift } from '../../../../tools/documents/files.ts'
import { lintAsyncApi, lintOpenApi } from '../../../../tools/documents/lint.ts'

describe('the comparison with the files', () => {
  const kept = new Map([
    ['a.json', 'one\ntwo\n'],
    ['b.json', 'x'],
  ])

  it('finds nothing where all is equal', () => {
    expect(drift(kept, new Map(kept))).toEqual([])
  })

  it('names missing and outdated files, and where a file differs', () => {
    const made = new Map([
      ['a.json', 'one\n2\n'],
      ['c.json', 'x'],
    ])
    expect(drift(kept, made)).toEqual([
      'c.json is missing',
      'b.json is made no more',
      'a.json differs: line 2 is two and should be 2',
    ])
  })

  it('detects that a file is too long', () => {
    expect(drift(new Map([['a.json', 'one\ntwo']]), new Map([['a.json', 'one']]))).toEqual([
      'a.json differs: line 2 is two and should be nothing',
    ])
  })
})

describe('the check of examples', () => {
  const text = { type: 'string' }
  const mistakesIn = (document: object) => checkExamples(document as Record<string, unknown>).mistakes

  it.each([
    ['a schema', { schemas: { A: { ...text, examples: [1] } } }],
    ['a parameter', { parameters: [{ schema: text, example: 1 }] }],
    ['a body', { content: { json: { schema: text, examples: { one: { value: 1 } } } } }],
    [
      'a message',
      { messages: { A: { payload: text, headers: text, examples: [{ payload: 1, headers: '' }] } } },
    ],
    [
      'the headers of a message',
      { A: { payload: text, headers: text, examples: [{ payload: '', headers: 1 }] } },
    ],
  ])('finds a wrong one of %s', (_, document) => {
    expect(mistakesIn(document)).toEqual([expect.stringContaining('must be string')])
  })

  it('follows references, of schemas and of examples', () => {
    const document = {
      body: { schema: { $ref: '#/schemas/A' }, examples: { one: { $ref: '#/examples/one' } } },
      schemas: { A: text },
      examples: { one: { value: 1 } },
    }
    expect(mistakesIn(document)).toEqual([expect.stringContaining('#/body')])
    expect(mistakesIn({ ...document, examples: { one: { value: '' } } })).toEqual([])
  })

  it('does not treat data in an example as an example', () => {
    expect(mistakesIn({ ...text, examples: ['x'], default: { schema: text, example: 1 } })).toEqual([])
  })
})

describe('the linters', () => {
  it('complain about an OpenAPI document with missing parts', () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'posthorn-lint-'))
    try {
      const file = path.join(directory, 'broken.openapi.json')
      const document = {
        openapi: '3.1.0',
        info: { title: 'T', version: '1' },
        paths: { '/a/{id}': { get: { responses: {} } } },
      }
      writeFileSync(file, JSON.stringify(document))
      expect(lintOpenApi([file])).toContain('path-parameters-defined')
    } finally {
      rmSync(directory, { recursive: true })
    }
  })

  it('complain about an AsyncAPI document with a broken reference', async () => {
    const document = {
      asyncapi: '3.0.0',
      info: { title: 'T', version: '1' },
      operations: { send: { action: 'send', channel: { $ref: '#/channels/none' } } },
    }
    expect(await lintAsyncApi(JSON.stringify(document))).not.toEqual([])
  })
})
