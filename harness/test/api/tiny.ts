import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { OpenApi } from '../../src/api/openapi.ts'

/** A service with one kind of resource, small enough to answer wrongly in every way. */
export const TINY: OpenApi = {
  openapi: '3.1.0',
  info: { title: 'Things', version: '1' },
  security: [{ key: [] }],
  paths: {
    '/things': {
      post: {
        operationId: 'createThing',
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  name: { type: 'string', minLength: 1, maxLength: 20 },
                  size: { type: ['integer', 'null'], minimum: 0, maximum: 100 },
                },
                required: ['name'],
                additionalProperties: false,
              },
            },
          },
        },
        responses: {
          '201': {
            headers: { Location: { schema: { type: 'string', pattern: '^/things/' } } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          '4XX': { $ref: '#/components/responses/Problem' } as object,
        },
      },
    },
    '/things/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: {
        operationId: 'getThing',
        responses: {
          '200': {
            headers: { 'X-Count': { schema: { type: 'integer' } } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          '401': { $ref: '#/components/responses/Problem' } as object,
          '404': { $ref: '#/components/responses/Problem' } as object,
        },
      },
      delete: {
        operationId: 'deleteThing',
        responses: { '202': {}, '204': {}, '404': { $ref: '#/components/responses/Problem' } as object },
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          name: { type: 'string' },
          created_at: { type: 'string', format: 'date-time' },
        },
        required: ['id', 'name', 'created_at'],
        additionalProperties: false,
      },
      Problem: {
        type: 'object',
        properties: { code: { type: 'string' }, status: { type: 'integer' } },
        required: ['code', 'status'],
      },
    },
    responses: {
      Problem: {
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  },
}

export const THING = { id: 'thing_1', name: 'a thing', created_at: '2026-03-14T09:26:53.589Z' }

export interface TinyServer {
  readonly origin: string
  close(): Promise<void>
}

export async function startTiny(listener: RequestListener): Promise<TinyServer> {
  const server = http.createServer(listener)
  // This service does not support any expectation except 100-continue.
  server.on('checkExpectation', listener)
  server.on('clientError', refuse)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Answers invalid HTTP, for which Node would send no body. */
function refuse(error: Error & { rawPacket?: Buffer }, socket: Duplex): void {
  if (!socket.writable) return
  const body = JSON.stringify(problem(400))
  const head = `HTTP/1.1 400 Bad Request\r\ncontent-type: application/problem+json\r\ncontent-length: ${body.length}`
  const isHead = error.rawPacket?.toString('latin1', 0, 5) === 'HEAD '
  socket.end(`${head}\r\nconnection: close\r\n\r\n${isHead ? '' : body}`)
}

/** Answers JSON, `application/problem+json` for errors. */
export function answer(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  const type = status >= 400 ? 'application/problem+json' : 'application/json'
  response.writeHead(status, { 'content-type': type, ...headers }).end(JSON.stringify(body))
}

export const problem = (status: number, code = 'wrong') => ({ code, status })

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
