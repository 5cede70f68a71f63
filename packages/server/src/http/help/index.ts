import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { CACHING } from '../shared/builtSites/caching.ts'
import { routesNotBuilt } from '../shared/builtSites/notBuilt.ts'
import { isOpenedByPeople } from '../shared/notFound.ts'
import { pageHeaders } from '../shared/pageHeaders.ts'
import { Problem } from '../shared/problems.ts'

const PREFIX = '/help'
const LIST = 'llms.txt'
const UNLISTED = { schema: { hide: true } }

/** `site.json`, which `docs/.vitepress/afterBuild.ts` writes. Only the files in it are served. */
interface Site {
  /** Hashes of the inline scripts in pages. */
  readonly scripts: readonly string[]
  /** Hashes of the style sheets that scripts insert. */
  readonly styles: readonly string[]
  /** Hashes of the files, by path. */
  readonly files: Readonly<Record<string, string>>
}

/**
 * Serves the documentation at `/help`: each page as HTML and as Markdown. `llms.txt` is also at the root.
 * @param directory of the built documentation; `null`: it was not built
 */
export function helpRoutes(app: FastifyInstance, directory: string | null, publicUrl: () => string): void {
  app.get(PREFIX, UNLISTED, (_request, reply) => reply.redirect(`${PREFIX}/`, 308))
  if (directory === null) {
    routesNotBuilt(app, [`${PREFIX}/*`, `/${LIST}`], 'the documentation')
    return
  }
  const site = JSON.parse(readFileSync(join(directory, 'site.json'), 'utf8')) as Site
  const files = new Map(Object.entries(site.files))
  const sendFile = (file: string, { headers }: FastifyRequest, reply: FastifyReply) => {
    // Not by time and size: packages from npm have the same time in every release.
    const etag = `W/"${files.get(file)}"`
    // Assets have names of their content.
    const caching = file.startsWith('assets/') ? CACHING.forever : CACHING.revalidated
    reply.header('cache-control', caching).header('vary', 'accept-encoding')
    if (file.endsWith('.html')) {
      const { scripts, styles } = site
      // The generator colors code by style attributes.
      reply.headers(pageHeaders({ publicUrl: publicUrl(), scripts, styles, hasStyleAttributes: true }))
    }
    if (reply.statusCode === 200) {
      reply.header('etag', etag)
      if (isKnown(headers['if-none-match'], etag)) return reply.code(304).send()
    }
    return reply.sendFile(file)
  }
  const serve = (scope: FastifyInstance, _options: object, done: () => void) => {
    scope.register(fastifyStatic, {
      root: directory,
      serve: false,
      preCompressed: true,
      cacheControl: false,
      etag: false,
      lastModified: false,
    })
    scope.get<{ Params: { '*': string } }>(`${PREFIX}/*`, UNLISTED, (request, reply) => {
      const path = request.params['*'] || 'index'
      const file = [`${path}.html`, path].find((name) => files.has(name))
      if (file !== undefined) return sendFile(file, request, reply)
      if (isOpenedByPeople(request)) return sendFile('404.html', request, reply.code(404))
      throw new Problem('not_found', `There is no such page. /${LIST} lists all pages.`)
    })
    scope.get(`/${LIST}`, UNLISTED, (request, reply) => sendFile(LIST, request, reply))
    done()
  }
  app.register(serve)
}

/** Proxies that compress make a strong tag weak, so both forms match. */
const isKnown = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((tag) => tag.trim().replace(/^(W\/)?/, 'W/') === etag) ?? false
