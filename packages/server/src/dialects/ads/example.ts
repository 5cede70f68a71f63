import type { EventType } from '../../core/catalog.ts'
import type { ExampleInput } from '../../core/dialect.ts'
import { adsCatalog } from './catalog/index.ts'
import { ids } from './catalog/world.ts'
import { adsEnvelope } from './envelope.ts'

const ENTITY_IDS: Readonly<Record<string, string>> = {
  campaign: ids.campaign,
  line_item: ids.lineItem,
  package: ids.package,
}
const OTHER_ENTITY_ID = '01a03f3d-6c1b-7d54-8f2a-91b7e5c0d3a6'

/** The id of every example. */
export const EXAMPLE_EVENT_ID = '0199703b-a8f3-7c26-b51e-4f0d92e8a767'

/** What the example of a type is about. @throws Error when the catalog does not have the type */
export function exampleEntity({ type }: EventType): {
  readonly entityType: string
  readonly entityId: string
} {
  const entry = adsCatalog.get(type)
  if (entry === undefined) throw new Error(`${type} is not in the catalog`)
  const { entityType } = entry
  return { entityType, entityId: ENTITY_IDS[entityType] ?? OTHER_ENTITY_ID }
}

export const adsExample = ({ type, workspace, occurredAt }: ExampleInput): string =>
  adsEnvelope({
    id: EXAMPLE_EVENT_ID,
    type: type.type,
    ...exampleEntity(type),
    workspaceId: workspace.publicId,
    payload: type.example,
    occurredAt,
  })
