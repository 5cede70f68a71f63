import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkExamples } from '../../../../tools/documents/examples.ts'
import { DIRECTORY, drift, readFiles } from '../../../../tools/documents/files.ts'
import { generateDocuments } from '../../../../tools/documents/generate.ts'
import { lintAsyncApi, lintOpenApi } from '../../../../tools/documents/lint.ts'
import { WEBHOOK_KEYS_PATH } from '../../src/http/keys/getWebhookKeys.ts'
import { OF_OTHER_SERVICES } from './authorization.rules.ts'
import { DOCUMENTS, loadDocuments, type Operation, pathTo } from './documents.ts'

let loaded: Awaited<ReturnType<typeof loadDocuments>>
beforeAll(async () => {
  loaded = await loadDocuments()
})
afterAll(() => loaded.app.close())

const statusesOf = ({ responses }: Operation) => Object.keys(responses)
const webhooksOf = () =>
  DOCUMENTS.flatMap((name) => Object.values(loaded.documents[name].webhooks ?? {}).map(({ post }) => post))

describe('the OpenAPI documents', () => {
  it('contain each route once, and nothing else', () => {
    const routes = loaded.routes
      .filter(({ method, hidden }) => method !== 'HEAD' && !hidden)
      // In the documents of services that sign with key pairs.
      .filter(({ url }) => url !== WEBHOOK_KEYS_PATH)
      .map(({ method, url }) => `${method} ${url}`)
      .filter((route) => !OF_OTHER_SERVICES.includes(route))
      .map((route) => route.replace(/:(\w+)/g, '{$1}'))
    const documented = loaded.operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    expect(documented.length).toBeGreaterThan(40)
    expect(documented.sort()).toEqual(routes.sort())
  })

  it('omit only themselves and their page', () => {
    const hidden = loaded.routes.filter((route) => route.hidden).map(({ url }) => url)
    expect(
      hidden.filter((url) => !/^\/(docs|openapi|schemas|receive|asyncapi\.json)(\/|$)/.test(url)),
    ).toEqual([])
  })

  it('name every operation once, over all documents', () => {
    const names = [...loaded.operations, ...webhooksOf()].map(({ operationId }) => operationId)
    expect(names.filter((name) => !/^[a-z][A-Za-z0-9]+$/.test(name))).toEqual([])
    expect(names).toHaveLength(new Set(names).size)
  })

  const OPEN = [
    'get /healthz',
    'get /readyz',
    'get /metrics',
    'post /console/v1/sign-in-links',
    'post /console/v1/session',
  ]

  it('state who may call each operation, and the operations agree', async () => {
    for (const { path, method, security, responses } of loaded.operations) {
      const isOpen = security.length === 0
      expect(isOpen, path).toBe(OPEN.includes(`${method} ${path}`))
      if (isOpen) continue
      const answer = await loaded.app.inject({
        method: method.toUpperCase() as 'GET',
        url: pathTo(path, 'a'),
      })
      expect([answer.statusCode, answer.json().code], path).toEqual([401, 'credentials_missing'])
      expect(Object.keys(responses)).toContain('401')
    }
  })

  it('describe the errors of each operation', () => {
    for (const operation of loaded.operations.filter(({ security }) => security.length > 0)) {
      const { operationId, document, parameters = [], requestBody, path } = operation
      const expected = [
        ...['401', '500', '503'],
        ...(document === 'admin' ? [] : ['403']),
        ...(path.includes('{') ? ['404'] : []),
        ...(requestBody === undefined ? [] : ['400', '413', '415', '422']),
        ...(parameters.some((parameter) => parameter.in === 'query') ? ['422'] : []),
        ...(parameters.some(({ name }) => name === 'if-match') ? ['412'] : []),
        ...(parameters.some(({ name }) => name === 'idempotency-key') ? ['409', '422'] : []),
      ]
      expect(statusesOf(operation), operationId).toEqual(expect.arrayContaining(expected))
    }
  })

  it('show every error with an example for each of its codes', () => {
    for (const { operationId, responses } of loaded.operations) {
      for (const [status, response] of Object.entries(responses)) {
        if (status < '4') continue
        const { content } = response as unknown as { content: Record<string, { examples: object }> }
        const codes = [...response.description.matchAll(/`(\w+)`:/g)].map(([, code]) => code)
        expect(Object.keys(content['application/problem+json']!.examples), operationId).toEqual(codes)
      }
    }
  })

  it('describe every parameter, and the request id of every response', () => {
    for (const { operationId, parameters = [], responses } of loaded.operations) {
      for (const { name, description } of parameters) {
        expect(description, `${operationId} ${name}`).toMatch(/^[A-Z].*\.$/)
      }
      for (const { headers } of Object.values(responses)) expect(headers).toHaveProperty('X-Request-Id')
    }
  })

  it('are valid', () => {
    expect(lintOpenApi(DOCUMENTS.map((name) => `${DIRECTORY}/${name}.openapi.json`))).toBe('')
  })
})

describe('the AsyncAPI document', () => {
  it('is valid', async () => {
    const { body } = await loaded.get('/asyncapi.json')
    expect(await lintAsyncApi(body)).toEqual([])
  })

  it('has a message for each event type, under its name', async () => {
    const { components, channels } = (await loaded.get('/asyncapi.json')).json()
    const names = Object.values(components.messages as Record<string, { name: string }>).map(
      ({ name }) => name,
    )
    const standard = (await loaded.get('/openapi/standard.json')).json()
    const webhooks = [loaded.documents.content, loaded.documents.ads, standard].flatMap((one) =>
      Object.keys(one.webhooks ?? {}),
    )
    expect(names.sort()).toEqual(webhooks.sort())
    const listed = [channels.content, channels.ads, channels.standard].flatMap(({ messages }) =>
      Object.keys(messages),
    )
    expect(listed.sort()).toEqual(Object.keys(components.messages).sort())
  })
})

describe('the documents in docs/api', () => {
  it('are those that are served', async () => {
    expect(drift(readFiles(DIRECTORY), await generateDocuments())).toEqual([])
  })

  it('contain examples that match their schemas, and plenty', async () => {
    const checked = [...(await generateDocuments())].map(([name, text]) => ({
      name,
      ...checkExamples(JSON.parse(text)),
    }))
    expect(checked.flatMap(({ mistakes }) => mistakes)).toEqual([])
    expect(checked.find(({ name }) => name === 'ads.openapi.json')!.count).toBeGreaterThan(100)
  })
})
