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

/** Where the library's script has the list of documents, which it writes once, but which changes with the services. */
const LIST = 'POSTHORN_DOCUMENTS'

interface Listed {
  readonly url: string
  readonly name: string
}

/** Shows OpenAPI documents to people, at `/docs`. @param documents those that there are now */
export function documentsPage(app: FastifyInstance, documents: () => readonly Listed[]): void {
  app.register((scope, _options, done) => {
    scope.addHook('onSend', async (request, _reply, payload) => {
      const isScript = request.routeOptions.url === `${PREFIX}/static/swagger-initializer.js`
      return isScript ? String(payload).replace(`"${LIST}"`, () => JSON.stringify(documents())) : payload
    })
    swaggerPage(scope)
    done()
  })
}

function swaggerPage(scope: FastifyInstance): void {
  scope.register(swaggerUi, {
    routePrefix: PREFIX,
    uiConfig: {
      urls: LIST as unknown as Listed[],
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
    },
    validatorUrl: false,
    staticCSP: CONTENT_SECURITY_POLICY,
    uiHooks: {
      onRequest: (request, _reply, done) => {
        const isOther = OTHER_DOCUMENTS.includes(request.routeOptions.url ?? '')
        done(isOther ? new Problem('route_not_found', 'The documents are under /openapi.') : undefined)
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
