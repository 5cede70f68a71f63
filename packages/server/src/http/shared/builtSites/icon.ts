import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { CACHING } from './caching.ts'

const NAME = 'favicon.svg'

/** Serves the icon of a site. @param prefix ends with `/` */
export function serveIcon(app: FastifyInstance, directory: string, prefix: string): void {
  const icon = readFileSync(join(directory, NAME))
  app.get(`${prefix}${NAME}`, { schema: { hide: true } }, (_request, reply) => {
    reply.header('cache-control', CACHING.day).type('image/svg+xml').send(icon)
  })
}
