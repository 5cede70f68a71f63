import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { webhookHandler as expressHandler } from '../../src/express.ts'
import { webhookPlugin } from '../../src/fastify.ts'
import { webhookHandler as fetchHandler } from '../../src/fetch.ts'
import { webhookHandler as honoHandler } from '../../src/hono.ts'
import type { Receiver } from '../../src/index.ts'
import { webhookHandler as nextHandler, pagesWebhookHandler } from '../../src/next.ts'
import { webhookHandler as nodeHandler } from '../../src/node.ts'

export interface Running {
  /** Of the route. */
  readonly url: string
  close(): Promise<void>
}

interface HandlerOfAny {
  readonly receiver: Receiver<unknown>
  readonly handle: (verified: unknown, ...context: readonly unknown[]) => unknown
  readonly onError: (error: unknown) => void
}

/** Starts a server of a framework with a webhook handler. */
export type Start = (handler: HandlerOfAny) => Promise<Running>

export const FRAMEWORKS: Readonly<Record<string, Start>> = {
  'node:http': ({ receiver, handle, onError }) => listening(nodeHandler(receiver, handle, { onError })),
  express: ({ receiver, handle, onError }) => {
    const app = express()
    app.post('/hooks', expressHandler(receiver, handle, { onError }))
    return listening(app)
  },
  fastify: ({ receiver, handle, onError }) => {
    const app = fastify()
    app.post('/other', async (request) => request.body)
    app.register(webhookPlugin('/hooks', receiver, handle, { onError }))
    return ofFastify(app)
  },
  hono: ({ receiver, handle, onError }) => {
    const app = new Hono()
    app.post('/hooks', honoHandler(receiver, handle, { onError }))
    return listening(getRequestListener(app.fetch))
  },
  'a fetch server': ({ receiver, handle, onError }) =>
    listening(
      getRequestListener((request) => fetchHandler(receiver, handle, { onError })(request, { env: 1 })),
    ),
  'a route handler of Next.js': ({ receiver, handle, onError }) => {
    const POST = nextHandler(receiver, handle, { onError })
    return listening(getRequestListener((request) => POST(request, { params: Promise.resolve({}) })))
  },
  'an API route of Next.js': ({ receiver, handle, onError }) =>
    listening(pagesWebhookHandler(receiver, handle, { onError })),
}

/** The same, after a parser that keeps the raw bytes. */
export const WITH_RAW_BODY: Readonly<Record<string, Start>> = {
  'express.raw()': ({ receiver, handle, onError }) => {
    const app = express()
    app.use(express.raw({ type: '*/*' }))
    app.post('/hooks', expressHandler(receiver, handle, { onError }))
    return listening(app)
  },
  'express.text()': ({ receiver, handle, onError }) => {
    const app = express()
    app.use(express.text({ type: '*/*' }))
    app.post('/hooks', expressHandler(receiver, handle, { onError }))
    return listening(app)
  },
  'express.json() that keeps rawBody': ({ receiver, handle, onError }) => {
    const app = express()
    app.use(
      express.json({
        verify: (request, _response, raw) => Object.assign(request, { rawBody: raw }),
      }),
    )
    app.post('/hooks', expressHandler(receiver, handle, { onError }))
    return listening(app)
  },
  'middleware of Hono that reads text, bytes or JSON': ({ receiver, handle, onError }) => {
    const app = new Hono()
    const reads = ['text', 'arrayBuffer', 'json'] as const
    let turn = 0
    app.use(async (c, next) => {
      await c.req[reads[turn++ % reads.length]!]()
      await next()
    })
    app.post('/hooks', honoHandler(receiver, handle, { onError }))
    return listening(getRequestListener(app.fetch))
  },
}

/** The same, after a parser that discards the raw bytes. */
export const WITHOUT_RAW_BODY: Readonly<Record<string, Start>> = {
  'express.json()': ({ receiver, handle, onError }) => {
    const app = express()
    app.use(express.json())
    app.post('/hooks', expressHandler(receiver, handle, { onError }))
    return listening(app)
  },
  'the parser of pages in Next.js': ({ receiver, handle, onError }) => {
    const handler = pagesWebhookHandler(receiver, handle, { onError })
    return listening(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      await handler(Object.assign(request, { body: JSON.parse(Buffer.concat(chunks).toString()) }), response)
    })
  },
  'something that reads a fetch request': ({ receiver, handle, onError }) => {
    const handler = fetchHandler(receiver, handle, { onError })
    return listening(
      getRequestListener(async (request) => {
        await request.json()
        return handler(request)
      }),
    )
  },
  'middleware of Hono that reads the raw request': ({ receiver, handle, onError }) => {
    const app = new Hono()
    app.use(async (c, next) => {
      await c.req.raw.json()
      await next()
    })
    app.post('/hooks', honoHandler(receiver, handle, { onError }))
    return listening(getRequestListener(app.fetch))
  },
}

async function listening(listener: RequestListener): Promise<Running> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: urlOf(server), close: () => closed(server) }
}

async function ofFastify(app: ReturnType<typeof fastify>): Promise<Running> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { url: urlOf(app.server), close: () => app.close() }
}

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`

async function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
