import type { ApiDocument } from '../../api/apiDocument.ts'
import type { ApiClient } from '../../api/client.ts'
import type { DocumentStage, Values } from './documentStage.ts'
import type { Made } from './provisioning.ts'

/** A cursor of each list with a second page, as the lists return them. */
export async function cursorsOf(
  client: ApiClient,
  document: ApiDocument,
  { token, params, facts }: DocumentStage,
): Promise<readonly (readonly [label: string, cursor: Values])[]> {
  const found: (readonly [string, Values])[] = []
  for (const { id, method, path, parameters } of document.operations) {
    const name = parameters.find((one) => one.in === 'query' && ['cursor', 'after'].includes(one.name))?.name
    if (name === undefined) continue
    const label = `${method.toUpperCase()} ${path}`
    const query = { limit: 1, ...facts.query[label] }
    const call = { key: token, params: params[id] ?? params[''] ?? {}, query }
    const { json } = await client.call<Made>(id, call)
    const cursor = json.next_cursor ?? json.nextCursor ?? null
    if (cursor === null) throw new Error(`${id} has no second page`)
    found.push([label, { [name]: cursor }])
  }
  return found
}
