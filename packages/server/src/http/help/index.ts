import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'

const PREFIX = '/help'
const YEAR_S = 365 * 24 * 3600

/**
 * Serves the documentation at `/help`: pages, each of them as Markdown too, and `llms.txt`.
 * @param directory what `npm run build` made of docs
 */
export function helpRoutes(app: FastifyInstance, directory: string): void {
  const policy = contentSecurityPolicy(directory)
  const missing = readFileSync(join(directory, '404.html'))
  const asPage = (reply: FastifyReply) => reply.header('content-security-policy', policy)
  app.get(PREFIX, { schema: { hide: true } }, (_request, reply) => reply.redirect(`${PREFIX}/`, 308))
  const serve = (scope: FastifyInstance, _options: object, done: () => void) => {
    scope.setNotFoundHandler((_request, reply) => {
      asPage(reply).code(404).type('text/html; charset=utf-8').send(missing)
    })
    scope.register(fastifyStatic, {
      root: directory,
      decorateReply: false,
      extensions: ['html'],
      preCompressed: true,
      cacheControl: false,
      schemaHide: true,
      setHeaders(reply, file) {
        // Assets have names of their content.
        const caching = file.includes('/assets/') ? `public, max-age=${YEAR_S}, immutable` : 'no-cache'
        reply.setHeader('cache-control', caching)
        if (file.includes('.html')) reply.setHeader('content-security-policy', policy)
      },
    })
    done()
  }
  app.register(serve, { prefix: PREFIX })
}

/** Scripts in pages are allowed by their hashes; the generator colors code by style attributes. */
function contentSecurityPolicy(directory: string): string {
  const hashes = JSON.parse(readFileSync(join(directory, 'inline-scripts.json'), 'utf8')) as readonly string[]
  return [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
