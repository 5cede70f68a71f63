import type { ApiDocument } from '../api/apiDocument.ts'
import type { Operation } from '../api/operation.ts'
import type { Account, Pool } from './pool.ts'
import type { Conversion } from './values/conversion.ts'

/** A request that was answered with success. */
export interface Exchange {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
  /** Who asked; `null`: nobody in particular. */
  readonly account: Account | null
  /** The body of the answer. */
  readonly json: unknown
}

/** What a fuzzer knows of a service beyond its documents. */
export interface Knowledge {
  readonly documents: readonly ApiDocument[]
  /** Who may act; grows when an answer brings credentials. */
  readonly accounts: Account[]
  readonly pool: Pool
  /** Operations whose answer is about a resource that their path does not show: the path of that resource by theirs. */
  readonly answersWith: Readonly<Record<string, string>>
  /** How often an operation is called, for each time that others are. 1 if not given. */
  readonly weights: Readonly<Record<string, number>>
  readonly override: Conversion['override']
  /** Takes from an answer what {@link learn} does not see. */
  readonly learnMore: (exchange: Exchange) => void
}

/** Remembers what an answer shows to exist. */
export function learn(knowledge: Knowledge, exchange: Exchange): void {
  const { pool, answersWith } = knowledge
  const { operation, params, account, json } = exchange
  noteValues(pool, json)
  const resource = answersWith[operation.path] ?? pool.memberOf(operation.path)
  if (resource !== null) {
    const own = [...resource.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!)
    const idName = own.at(-1)!
    const outer = Object.fromEntries(own.slice(0, -1).map((name) => [name, params[name] ?? '']))
    for (const id of idsIn(json)) {
      pool.add(resource, { params: { ...outer, [idName]: id }, owner: account, lasting: false })
    }
  }
  knowledge.learnMore(exchange)
}

/** Ids of the whole, and of the items of a list in it. */
function idsIn(json: unknown): readonly string[] {
  const members = membersOf(json)
  const items = Object.values(members).filter(Array.isArray).flat()
  return [members, ...items.map(membersOf)].flatMap(({ id }) =>
    typeof id === 'string' && id !== '' ? [id] : [],
  )
}

/** Cursors, and what members named like `event_id` or `eventId` refer to. */
function noteValues(pool: Pool, json: unknown): void {
  const members = membersOf(json)
  for (const item of [members, ...Object.values(members).filter(Array.isArray).flat().map(membersOf)]) {
    for (const [name, value] of Object.entries(item)) {
      if (typeof value !== 'string' || value === '') continue
      const kind = kindOf(name)
      if (kind !== null) pool.note(kind, value)
    }
  }
}

/** What a member of this name refers to: the collection of it, or `cursors`. `null`: to nothing. */
export function kindOf(name: string): string | null {
  if (/cursor$|^after$|^before$/i.test(name)) return 'cursors'
  const [, what] = /^(.+?)(?:_id|Id)$/.exec(name) ?? []
  return what === undefined ? null : `${what}s`
}

export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
