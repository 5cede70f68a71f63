import type { FastifyInstance } from 'fastify'
import { Problem } from '../problems.ts'

/** The answer where only a part of the repository was built. @param what is missing, such as `the documentation` */
export const notBuilt = (what: string) =>
  new Problem(
    'not_found',
    `This installation does not contain ${what}. Run npm run build, then restart Posthorn.`,
  )

/** Answers at the addresses of a site that was not built. */
export function routesNotBuilt(app: FastifyInstance, urls: readonly string[], what: string): void {
  for (const url of urls) {
    app.get(url, { schema: { hide: true } }, () => {
      throw notBuilt(what)
    })
  }
}
