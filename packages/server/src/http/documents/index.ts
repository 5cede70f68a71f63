import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { lazy } from '../../core/lazy.ts'
import type { Logger } from '../../engine/log/logger.ts'
import { PROBLEM_HEADERS, Problem, problemDocument } from '../shared/problems.ts'
import type { ServedProfiles } from './build.ts'
import { collectRoutes } from './collect.ts'
import { Documents } from './documents.ts'
import type { File } from './file.ts'

const PATHS = [
  '/openapi/:document',
  '/asyncapi.json',
  '/schemas/:file',
  '/schemas/:dialect/:file',
  '/receive/:file',
  '/receive/:dialect/:file',
]

/**
 * Documents every route that is registered after this call, and serves the documents. Each is built when it is first
 * requested, and again after its services changed. Contradicting routes fail the checks of this repository, which build all
 * documents.
 */
export function documentRoutes(
  app: FastifyInstance,
  profiles: ServedProfiles,
  publicUrl: () => string,
  logger: Pick<Logger, 'error'> = app.log,
): void {
  const isNew = firstOnly()
  const documents = new Documents(profiles, lazy(collectRoutes(app)), publicUrl, (err, service) => {
    if (isNew(err)) logger.error({ err, service }, 'service left out of shared documents')
  })
  app.register((scope, _options, done) => {
    const serve = serveFrom(documents)
    for (const url of PATHS) {
      scope.get(url, { schema: { hide: true } }, serve)
    }
    done()
  })
}

/** @returns whether it is asked about an error for the first time: a failed build is kept, with its error */
function firstOnly() {
  const seen = new WeakSet<object>()
  return (error: unknown): boolean => {
    if (!(error instanceof Error)) return true
    const isFirst = !seen.has(error)
    seen.add(error)
    return isFirst
  }
}

function serveFrom(documents: Documents) {
  const isNew = firstOnly()
  return async (request: FastifyRequest, reply: FastifyReply) => {
    let file: File | undefined
    try {
      file = await documents.file(request.url.split('?', 1)[0]!)
    } catch (error) {
      // The error handler logs what is thrown.
      if (isNew(error)) throw error
      return sendFailure(request, reply)
    }
    if (file === undefined) {
      throw new Problem(
        'not_found',
        'There is no such document. /schemas/index.json lists the schemas, and /receive/{service}.json lists the receivers.',
      )
    }
    return send(request, reply, file)
  }
}

function sendFailure(request: FastifyRequest, reply: FastifyReply) {
  const problem = new Problem(
    'internal_error',
    'An internal error occurred. Retry; if it persists, give the request_id to the operator.',
  )
  return reply
    .code(500)
    .headers(PROBLEM_HEADERS)
    .send(Buffer.from(problemDocument(problem, request.id)))
}

async function send(request: FastifyRequest, reply: FastifyReply, file: File) {
  // Public, and the same for everyone until the next release: browsers may keep it, but must ask.
  reply.headers({ 'cache-control': 'no-cache', etag: file.etag, vary: 'accept-encoding' })
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  reply.header('content-type', file.contentType)
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(file.bytes)
  return reply.header('content-encoding', 'gzip').send(await file.gzipped())
}

/** @param accepted `Accept-Encoding`, such as `gzip, br;q=0.5`; a quality of 0 refuses */
const acceptsGzip = (accepted = '') => /(^|,)\s*gzip\s*(,|$|;\s*q=(1|0\.\d*[1-9]))/i.test(accepted)
