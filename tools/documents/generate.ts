import { ADS_DEFAULTS, adsDialect } from '../../packages/server/src/dialects/ads/dialect.ts'
import { CONTENT_DEFAULTS, contentDialect } from '../../packages/server/src/dialects/content/dialect.ts'
import { type AppDeps, buildApp } from '../../packages/server/src/http/app.ts'

/** The documents by the names of their files, exactly as a service with the default settings serves them. */
export async function generateDocuments(): Promise<ReadonlyMap<string, string>> {
  const dialects = [contentDialect(CONTENT_DEFAULTS), adsDialect(ADS_DEFAULTS)]
  // Documents come of the routes alone, and no route is called here that needs anything else.
  const deps: Pick<AppDeps, 'dialects' | 'adminToken'> = {
    dialects: new Map(dialects.map((dialect) => [dialect.name, dialect])),
    adminToken: '',
  }
  const app = buildApp(deps as AppDeps)
  const fetch = async (path: string) => {
    const { statusCode, body } = await app.inject(path)
    if (statusCode !== 200) throw new Error(`${path} was answered with ${statusCode}: ${body}`)
    return body
  }
  try {
    const index = JSON.parse(await fetch('/schemas/index.json')) as SchemaIndex
    const schemas = Object.values(index).flatMap((types) => types.map(({ schema }) => schema))
    const paths = [...API_DOCUMENTS, '/asyncapi.json', '/schemas/index.json', ...schemas]
    const files = new Map<string, string>()
    for (const path of paths) files.set(fileOf(path), await fetch(path))
    return files
  } finally {
    await app.close()
  }
}

type SchemaIndex = Readonly<Record<string, readonly { readonly schema: string }[]>>

const API_DOCUMENTS = ['/openapi/content.json', '/openapi/ads.json', '/openapi/admin.json']

/** `/openapi/ads.json` → `ads.openapi.json`; others keep their paths. */
const fileOf = (path: string) => path.slice(1).replace(/^openapi\/(\w+)\.json$/, '$1.openapi.json')
