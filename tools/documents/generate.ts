import { type AppDeps, buildApp } from '../../packages/server/src/http/app.ts'
import { Connections } from '../../packages/server/src/http/shared/bodies/connections.ts'
import { AUTHENTICATION_LIMITS } from '../../packages/server/src/http/shared/throttle/limits.ts'
import { adsService, contentService, standardService } from '../../packages/server/src/profiles/builtIn.ts'
import { LANGUAGES } from '../../packages/server/src/receiverPrograms/index.ts'
import { receiverPage } from '../../packages/server/src/receiverPrograms/page.ts'

/** The address of the reader's Posthorn in pages. */
const PUBLIC_URL = 'http://localhost:8080'

/**
 * A service with the default settings, sufficient for its documents: they depend only on the routes.
 * @param referenceDirectory the built page that shows the documents; `null`: it is not served
 */
export function documentedApp(referenceDirectory: string | null = null): ReturnType<typeof buildApp> {
  const dialects = [contentService(), adsService(), standardService()]
  const deps: Pick<
    AppDeps,
    | 'engine'
    | 'dialects'
    | 'storage'
    | 'adminToken'
    | 'consoleDirectory'
    | 'signInProvider'
    | 'downloadsDirectory'
    | 'helpDirectory'
    | 'referenceDirectory'
    | 'publicUrl'
    | 'adminUrl'
    | 'tls'
    | 'trustedProxies'
    | 'authenticationLimits'
    | 'connections'
  > = {
    engine: { stopping: false } as AppDeps['engine'],
    dialects: new Map(dialects.map((dialect) => [dialect.name, dialect])),
    storage: {} as AppDeps['storage'],
    adminToken: '',
    consoleDirectory: null,
    signInProvider: null,
    downloadsDirectory: '',
    helpDirectory: null,
    referenceDirectory,
    publicUrl: () => PUBLIC_URL,
    adminUrl: null,
    tls: null,
    trustedProxies: [],
    authenticationLimits: AUTHENTICATION_LIMITS,
    connections: new Connections(1, [], { bodyRefused() {}, connectionRefused() {} }),
  }
  return buildApp(deps as AppDeps)
}

/** The documents by file name, exactly as served. */
export async function generateDocuments(): Promise<ReadonlyMap<string, string>> {
  const app = documentedApp()
  const fetch = async (path: string) => {
    const { statusCode, body } = await app.inject(path)
    if (statusCode !== 200) throw new Error(`${path} was answered with ${statusCode}: ${body}`)
    return body
  }
  try {
    const index = JSON.parse(await fetch('/schemas/index.json')) as SchemaIndex
    const schemas = Object.values(index).flatMap((types) => types.map(({ schema }) => schema))
    const paths = [
      ...Object.keys(index).map((name) => `/openapi/${name}.json`),
      '/openapi/admin.json',
      '/openapi/console.json',
      '/asyncapi.json',
      '/schemas/index.json',
      '/schemas/profile.json',
      ...schemas,
    ]
    const files = new Map<string, string>()
    for (const path of paths) files.set(fileOf(path), await fetch(path))
    return files
  } finally {
    await app.close()
  }
}

type SchemaIndex = Readonly<Record<string, readonly { readonly schema: string }[]>>

/** `/openapi/ads.json` → `ads.openapi.json`; others keep their paths. */
const fileOf = (path: string) => path.slice(1).replace(/^openapi\/([\w-]+)\.json$/, '$1.openapi.json')

/** The pages on receiving requests, by file name. */
export function generateReceiverPages(): ReadonlyMap<string, string> {
  const services = [
    { profile: standardService().profile, title: 'Standard Webhooks, and the content service' },
    { profile: adsService().profile, title: 'The advertising platform' },
  ]
  const page = (id: string) => receiverPage(id, services, PUBLIC_URL, '../receiving.md')!
  return new Map(LANGUAGES.map(({ id }) => [`${id}.md`, page(id)]))
}
