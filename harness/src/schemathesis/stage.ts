import type { ApiDocument } from '../api/apiDocument.ts'
import type { ApiClient } from '../api/client.ts'
import type { Playground } from '../fuzz/posthorn/playground.ts'
import { adminStage } from './stage/admin.ts'
import { adsStage } from './stage/ads.ts'
import { consoleStage } from './stage/console.ts'
import { contentStage } from './stage/content.ts'
import { cursorsOf } from './stage/cursors.ts'
import type { Stage } from './stage/documentStage.ts'
import { Provisioning } from './stage/provisioning.ts'

/** Creates one of each resource that the operations of the documents need. */
export async function setStage(
  client: ApiClient,
  documents: readonly ApiDocument[],
  playground: Playground,
): Promise<Stage> {
  const provisioning = new Provisioning(client)
  const targets = {
    good: playground.urlOf('/ok'),
    failing: playground.urlOf('/fail'),
    postponing: playground.urlOf('/later'),
  }
  const stage: Stage = {
    content: await contentStage(provisioning, targets),
    ads: await adsStage(provisioning, targets),
    admin: await adminStage(provisioning),
    console: await consoleStage(provisioning, targets.good),
  }
  const withCursors = documents.map(async (document) => {
    const one = stage[document.name]!
    const query = { ...one.facts.query }
    for (const [label, cursor] of await cursorsOf(client, document, one)) {
      query[label] = { ...query[label], ...cursor }
    }
    return [document.name, { ...one, facts: { ...one.facts, query } }] as const
  })
  return Object.fromEntries(await Promise.all(withCursors))
}
