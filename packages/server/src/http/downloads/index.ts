import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { CACHING } from '../shared/builtSites/caching.ts'
import { notBuilt } from '../shared/builtSites/notBuilt.ts'

/** Libraries for publishers and receivers, as npm packs them. */
const FILES = ['posthorn-receiver.tgz', 'posthorn-client.tgz']

/**
 * Serves the libraries of this version, so that they can be installed while no package registry has them. Files are read
 * when the service starts: a request costs no look at the disk.
 * @param directory of the packed libraries
 */
export function downloadRoutes(app: FastifyInstance, directory: string): void {
  for (const name of FILES) {
    const file = join(directory, name)
    const bytes = existsSync(file) ? readFileSync(file) : null
    const etag = bytes === null ? '' : `"${hash('sha256', bytes, 'base64url')}"`
    app.get(`/downloads/${name}`, { schema: { hide: true } }, (request, reply) => {
      if (bytes === null) throw notBuilt(name)
      // The next version of the service has another file at this address.
      reply.header('cache-control', CACHING.revalidated).header('etag', etag)
      if (request.headers['if-none-match'] === etag) return reply.code(304).send()
      return reply.header('content-type', 'application/gzip').send(bytes)
    })
  }
}
