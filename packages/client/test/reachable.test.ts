import { expect, test } from 'vitest'
import { withReachableOnly } from '../../../tools/client/reachable.ts'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

test('types are generated only for schemas that operations refer to, directly or not', () => {
  const document = {
    openapi: '3.1.0',
    paths: { '/things': { get: { responses: { 200: { schema: ref('List') } } } } },
    webhooks: { made: { post: { requestBody: { schema: ref('MadeEvent') } } } },
    components: {
      schemas: {
        List: { items: ref('Thing') },
        // Refers to itself and back.
        Thing: { properties: { parent: ref('Thing'), all: ref('List') } },
        MadeEvent: { properties: { detail: ref('Detail') } },
        Detail: {},
      },
      securitySchemes: { apiKey: {} },
    },
  }
  const { List, Thing } = document.components.schemas
  expect(withReachableOnly(document)).toEqual({
    openapi: '3.1.0',
    paths: document.paths,
    components: { schemas: { List, Thing }, securitySchemes: {} },
  })
})
