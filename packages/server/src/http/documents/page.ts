import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { serveAssets } from '../shared/assets.ts'
import { openApiDocuments, type ServedProfiles } from './build.ts'

const PREFIX = '/docs'

/** Of the only style sheet that RapiDoc inserts into the page. It changes with the attributes of its element and its version. */
const STYLE_HASH = "'sha256-1WVf2oS+ldTc3PHUH/UXTBJG9WvxL+dxkZjQ3Hy+aJk='"

const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${STYLE_HASH}`,
    // RapiDoc aligns its elements by style attributes.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    // The requests that readers try go to this server only.
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
}

/**
 * Shows the OpenAPI documents to people, at `/docs`.
 * @param directory what `npm run build` made of apps/reference
 */
export function documentsPage(app: FastifyInstance, directory: string, profiles: ServedProfiles): void {
  const page = readFileSync(join(directory, 'index.html'))
  const icon = readFileSync(join(directory, 'favicon.svg'))
  const hidden = { schema: { hide: true } }
  for (const url of [PREFIX, `${PREFIX}/`]) {
    app.get(url, hidden, (_request, reply) => {
      reply.headers(HEADERS).type('text/html; charset=utf-8').send(page)
    })
  }
  app.get(`${PREFIX}/documents.json`, hidden, (_request, reply) => {
    reply.header('cache-control', 'no-cache').send(openApiDocuments(profiles))
  })
  app.get(`${PREFIX}/favicon.svg`, hidden, (_request, reply) => {
    reply.header('cache-control', 'public, max-age=86400').type('image/svg+xml').send(icon)
  })
  serveAssets(app, join(directory, 'assets'), `${PREFIX}/assets/`)
}
