import type { Creator, Webhook } from '../rows.ts'
import type { PackedResults, VerbName, VerbResult } from './messages.ts'

/** A webhook as `areas/webhookRows.ts` writes a page of them. */
type PackedWebhook = readonly [
  id: number,
  publicId: string,
  workspaceId: number,
  url: string,
  eventTypes: readonly string[],
  description: string,
  status: Webhook['status'],
  offReason: Webhook['offReason'],
  stoppedAt: number | null,
  failingSince: number | null,
  createdByType: Creator['type'],
  createdByPublicId: string,
  createdAt: number,
  updatedAt: number,
  version: number,
]

const UNPACK: { readonly [V in keyof PackedResults]: (packed: PackedResults[V]) => VerbResult<V> } = {
  // SQLite promises no order for what it puts together.
  listWebhooks: (page) =>
    (JSON.parse(page) as PackedWebhook[]).map(unpackWebhook).sort((a, b) => b.id - a.id),
}

/** @returns what turns the answer of the store's thread into the verb's result; `undefined`: it is the result */
export function unpackerOf(verb: VerbName): ((packed: unknown) => unknown) | undefined {
  return verb in UNPACK ? (UNPACK[verb as keyof PackedResults] as (packed: unknown) => unknown) : undefined
}

function unpackWebhook(packed: PackedWebhook): Webhook {
  const [
    id,
    publicId,
    workspaceId,
    url,
    eventTypes,
    description,
    status,
    offReason,
    stoppedAt,
    failingSince,
  ] = packed
  const [, , , , , , , , , , type, createdBy, createdAt, updatedAt, version] = packed
  return {
    id,
    publicId,
    workspaceId,
    url,
    eventTypes,
    description,
    status,
    offReason,
    stoppedAt,
    failingSince,
    createdBy: { type, publicId: createdBy },
    createdAt,
    updatedAt,
    version,
  }
}
