import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { lazy } from '../../core/lazy.ts'
import type { ServedProfile } from '../../profiles/compile.ts'
import { Problem } from '../shared/problems.ts'
import { buildDocuments, openApiDocuments, type ServedProfiles } from './build.ts'
import { type Collected, collectOperations, collectRoutes } from './collect.ts'
import { documentsPage } from './page/page.ts'

interface File {
  readonly bytes: Buffer
  readonly etag: string
  readonly contentType: string
}

/**
 * Documents every route that is registered after this call, and serves the documents. They are made when somebody first
 * asks for one, and again after services changed; two routes that contradict each other fail the checks of this repository,
 * which make them all.
 */
export function documentRoutes(app: FastifyInstance, profiles: ServedProfiles): void {
  const documents = new Documents(profiles, lazy(collectRoutes(app)))
  documentsPage(app, () => openApiDocuments(profiles))
  app.register((scope, _options, done) => {
    const serve = async (request: FastifyRequest, reply: FastifyReply) => {
      const file = (await documents.all()).get(request.url.split('?', 1)[0]!)
      if (file === undefined) {
        throw new Problem('not_found', 'There is no such document; /schemas/index.json lists the schemas.')
      }
      return send(request, reply, file)
    }
    for (const url of ['/openapi/:document', '/asyncapi.json', '/schemas/:file', '/schemas/:dialect/:file']) {
      scope.get(url, { schema: { hide: true } }, serve)
    }
    done()
  })
}

type Files = ReadonlyMap<string, File>

/** The documents of the services that there are now. */
class Documents {
  readonly #profiles: ServedProfiles
  readonly #collected: () => Collected
  /** What was collected of a service, which takes the most time. */
  readonly #operations = new WeakMap<ServedProfile, Promise<Collected>>()
  #of: readonly ServedProfile[] = []
  #files: Promise<Files> | null = null

  constructor(profiles: ServedProfiles, collected: () => Collected) {
    this.#profiles = profiles
    this.#collected = collected
  }

  all(): Promise<Files> {
    const now = [...this.#profiles.values()]
    const isSame = now.length === this.#of.length && now.every((one, i) => one === this.#of[i])
    if (this.#files !== null && isSame) return this.#files
    this.#of = now
    const files = this.#make(new Map(this.#profiles))
    this.#files = files
    files.catch(() => {
      if (this.#files === files) this.#files = null
    })
    return files
  }

  async #make(profiles: ServedProfiles): Promise<Files> {
    const made = await buildDocuments(this.#collected(), profiles, (service) => this.#operationsOf(service))
    return new Map([...made].map(([path, document]) => [path, fileOf(path, document)]))
  }

  #operationsOf(service: ServedProfile): Promise<Collected> {
    let operations = this.#operations.get(service)
    if (operations === undefined) {
      operations = collectOperations(service)
      this.#operations.set(service, operations)
    }
    return operations
  }
}

/** How a document is written. */
const documentText = (document: object) => `${JSON.stringify(document, null, 2)}\n`

function fileOf(path: string, document: object): File {
  const bytes = Buffer.from(documentText(document))
  return {
    bytes,
    etag: `"${hash('sha256', bytes, 'base64url')}"`,
    contentType: path.startsWith('/schemas/') ? 'application/schema+json' : 'application/json',
  }
}

function send(request: FastifyRequest, reply: FastifyReply, { bytes, etag, contentType }: File) {
  // Public, and the same for everyone until the next release: browsers may keep it, but must ask.
  reply.header('cache-control', 'no-cache').header('etag', etag)
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.header('content-type', contentType).send(bytes)
}
