import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { serveAssets } from '../shared/builtSites/assets.ts'
import { serveIcon } from '../shared/builtSites/icon.ts'
import type { AppDeps } from '../shared/context.ts'
import { pageHeaders } from '../shared/pageHeaders.ts'

/** Addresses of the console, which decides what to show below them. */
const PAGES = ['/', '/sign-in', '/portal', '/w/*', '/operator', '/operator/*']
/** The same inside another site's page. */
const EMBEDDED_PAGES = ['/embed', '/embed/*']

const NONCE_BYTES = 16
const NONCE_PLACE = '%CSP_NONCE%'
/** Facts of the service that the page to sign in needs. */
const PROVIDER_PLACE = '%SIGN_IN_PROVIDER%'

/**
 * Returns a function that sends the console's document. The console decides what to show.
 * @param directory of the built console
 * @throws Error if the console was not built
 */
export function consoleDocument(
  directory: string,
  { publicUrl, signInProvider }: Pick<AppDeps, 'publicUrl' | 'signInProvider'>,
) {
  const name = signInProvider === null ? '' : escapeAttribute(signInProvider.name)
  const document = readFileSync(join(directory, 'index.html'), 'utf8').replace(PROVIDER_PLACE, () => name)
  return (reply: FastifyReply, frameAncestors: readonly string[] = []): void => {
    const nonce = newNonce()
    const styles = [`'nonce-${nonce}'`]
    reply
      .headers(pageHeaders({ publicUrl: publicUrl(), styles, frameAncestors }))
      .type('text/html; charset=utf-8')
      .send(document.replace(NONCE_PLACE, nonce))
  }
}

/** Names the styles that the page's own scripts insert in one response. */
const newNonce = (): string => randomBytes(NONCE_BYTES).toString('base64')

const escapeAttribute = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/**
 * Serves the web console: one document for every page, and the files that it asks for, which have names of their content
 * and never change.
 */
export function pageRoutes(
  app: FastifyInstance,
  directory: string,
  document: ReturnType<typeof consoleDocument>,
  { portalOrigins }: Pick<AppDeps, 'portalOrigins'>,
): void {
  const page = (frameAncestors: readonly string[]) => (_request: unknown, reply: FastifyReply) =>
    document(reply, frameAncestors)
  for (const url of PAGES) app.get(url, { schema: { hide: true } }, page([]))
  for (const url of EMBEDDED_PAGES) app.get(url, { schema: { hide: true } }, page(portalOrigins))
  serveAssets(app, join(directory, 'assets'), '/assets/')
  serveIcon(app, directory, '/')
}
