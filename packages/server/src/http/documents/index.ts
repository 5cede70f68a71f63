import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { lazy } from '../../core/lazy.ts'
import type { ServedProfile } from '../../profiles/compile.ts'
import { Problem } from '../shared/problems.ts'
import { buildDocuments, openApiDocuments } from './build.ts'
import { collectOperations, collectRoutes } from './collect.ts'
import { documentsPage } from './page/page.ts'

interface File {
  readonly bytes: Buffer
  readonly etag: string
  readonly contentType: string
}

/**
 * Documents every route that is registered after this call, and serves the documents. They are made when somebody first
 * asks for one; two routes that contradict each other fail the checks of this repository, which make them all.
 */
export function documentRoutes(app: FastifyInstance, dialects: ReadonlyMap<string, ServedProfile>): void {
  const collected = collectRoutes(app)
  documentsPage(app, openApiDocuments(dialects))
  const documents = lazy(async () => {
    const made = [...(await buildDocuments(collected(), dialects, collectOperations))]
    return new Map(made.map(([path, document]) => [path, fileOf(path, document)]))
  })
  app.register((scope, _options, done) => {
    const serve = async (request: FastifyRequest, reply: FastifyReply) => {
      const file = (await documents()).get(request.url.split('?', 1)[0]!)
      if (file === undefined) {
        throw new Problem('not_found', 'There is no such document; /schemas/index.json lists the schemas.')
      }
      return send(request, reply, file)
    }
    for (const url of ['/openapi/:document', '/asyncapi.json', '/schemas/:file', '/schemas/:dialect/:file']) {
      scope.get(url, { schema: { hide: true } }, serve)
    }
    done()
  })
}

/** How a document is written. */
const documentText = (document: object) => `${JSON.stringify(document, null, 2)}\n`

function fileOf(path: string, document: object): File {
  const bytes = Buffer.from(documentText(document))
  return {
    bytes,
    etag: `"${hash('sha256', bytes, 'base64url')}"`,
    contentType: path.startsWith('/schemas/') ? 'application/schema+json' : 'application/json',
  }
}

function send(request: FastifyRequest, reply: FastifyReply, { bytes, etag, contentType }: File) {
  // Public, and the same for everyone until the next release: browsers may keep it, but must ask.
  reply.header('cache-control', 'no-cache').header('etag', etag)
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.header('content-type', contentType).send(bytes)
}
