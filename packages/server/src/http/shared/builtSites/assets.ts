import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { YEAR_S } from './caching.ts'

/** Serves built files whose names change with their content, so browsers keep them. @param prefix ends with `/` */
export function serveAssets(app: FastifyInstance, directory: string, prefix: string): void {
  app.register(fastifyStatic, {
    root: directory,
    prefix,
    decorateReply: false,
    index: false,
    immutable: true,
    maxAge: YEAR_S * 1000,
    preCompressed: true,
    schemaHide: true,
  })
}
