import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../../shared/problems.ts'
import { LOGO, STYLE } from './look.ts'

const PREFIX = '/docs'

/** Of the style sheet inside the library's own logo, which it draws before ours takes its place. */
const LOGO_STYLE = "'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='"

/** Everything comes from this server; the only data URLs are the icons in the style sheet. */
const CONTENT_SECURITY_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': `'self' ${LOGO_STYLE}`,
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}

/** The library would serve all routes as one document, which is none of ours. */
export const OTHER_DOCUMENTS = [`${PREFIX}/json`, `${PREFIX}/yaml`]

/** Shows OpenAPI documents to people, at `/docs`. */
export function documentsPage(
  app: FastifyInstance,
  documents: readonly { readonly url: string; readonly name: string }[],
): void {
  app.register(swaggerUi, {
    routePrefix: PREFIX,
    uiConfig: {
      urls: [...documents],
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
    },
    validatorUrl: false,
    staticCSP: CONTENT_SECURITY_POLICY,
    uiHooks: {
      onRequest: (request, _reply, done) => {
        const isOther = OTHER_DOCUMENTS.includes(request.routeOptions.url ?? '')
        done(isOther ? new Problem('route_not_found', 'The documents stand under /openapi.') : undefined)
      },
    },
    logo: { type: 'image/svg+xml', content: LOGO, href: PREFIX },
    theme: {
      title: 'Posthorn API',
      css: [{ filename: 'posthorn.css', content: STYLE }],
      favicon: [
        { filename: 'posthorn.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: LOGO },
      ],
    },
  })
}
