import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { serveAssets } from '../shared/builtSites/assets.ts'
import { CACHING } from '../shared/builtSites/caching.ts'
import { serveIcon } from '../shared/builtSites/icon.ts'
import { routesNotBuilt } from '../shared/builtSites/notBuilt.ts'
import { pageHeaders } from '../shared/pageHeaders.ts'
import { openApiDocuments, type ServedProfiles } from './build.ts'

const PREFIX = '/docs'

/** Hash of the style sheet that RapiDoc inserts into the page. It depends on RapiDoc's version and the attributes in index.html. */
const STYLE_HASH = "'sha256-1WVf2oS+ldTc3PHUH/UXTBJG9WvxL+dxkZjQ3Hy+aJk='"

const UNLISTED = { schema: { hide: true } }

/**
 * Shows the OpenAPI documents to people, at `/docs`.
 * @param directory of the built page; `null`: it was not built
 */
export function documentsPage(
  app: FastifyInstance,
  directory: string | null,
  profiles: ServedProfiles,
  publicUrl: () => string,
): void {
  const urls = [PREFIX, `${PREFIX}/`]
  if (directory === null) {
    routesNotBuilt(app, urls, 'the API reference')
    return
  }
  const page = readFileSync(join(directory, 'index.html'))
  for (const url of urls) {
    app.get(url, UNLISTED, (_request, reply) => {
      reply
        // RapiDoc aligns its elements by style attributes.
        .headers(pageHeaders({ publicUrl: publicUrl(), styles: [STYLE_HASH], hasStyleAttributes: true }))
        .header('cache-control', CACHING.revalidated)
        .type('text/html; charset=utf-8')
        .send(page)
    })
  }
  app.get(`${PREFIX}/documents.json`, UNLISTED, (_request, reply) => {
    reply.header('cache-control', CACHING.revalidated).send(openApiDocuments(profiles))
  })
  serveIcon(app, directory, `${PREFIX}/`)
  serveAssets(app, join(directory, 'assets'), `${PREFIX}/assets/`)
}
