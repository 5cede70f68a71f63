import type fc from 'fast-check'
import type { ApiDocument } from '../api/apiDocument.ts'
import type { Operation } from '../api/operation.ts'
import type { Notes } from './notes.ts'
import type { Account, Params, Pool, Subject } from './pool.ts'
import type { Conversion } from './values/conversion.ts'

/** A request that was answered with success. */
export interface Exchange {
  readonly operation: Operation
  readonly params: Params
  /** The path as sent, without the query string. */
  readonly path: string
  /** Who asked; `null`: no particular account. */
  readonly account: Account | null
  readonly status: number
  /** The body of the answer. */
  readonly json: unknown
}

/** What a fuzzer knows about a service beyond its documents. */
export interface Knowledge {
  readonly documents: readonly ApiDocument[]
  /** The accounts; grows when an answer brings credentials. */
  readonly accounts: Account[]
  readonly pool: Pool
  readonly notes: Notes
  /**
   * Operations whose answer describes a resource that is not in their path: the path of that resource by
   * theirs.
   */
  readonly answersWith: Readonly<Record<string, string>>
  /** Relative frequency of an operation; whole numbers, 4 by default. */
  readonly weights: Readonly<Record<string, number>>
  /** Ids of operations that must not target permanent resources. */
  readonly destructive: ReadonlySet<string>
  /**
   * Bodies of operations whose documents describe them too loosely, by operation id; mostly one of these is
   * sent.
   */
  readonly bodies: Readonly<Record<string, fc.Arbitrary<unknown>>>
  readonly overridesFor: (document: ApiDocument) => Conversion['override']
  /** Learns from an answer what {@link learn} does not. */
  readonly learnMore: (exchange: Exchange) => void
}

/** The account and subject of a request, and its credentials. */
interface Asked {
  readonly subject: Subject | null
  readonly caller: Account | null
  readonly key: string | null
}

/** Forgets what an answer shows to be gone: its subject, or the caller's credentials. */
export function unlearn({ pool }: Knowledge, { subject, caller, key }: Asked, status: number): void {
  if (status === 404 && subject !== null && subject.known.owner === caller)
    pool.forget(subject.resource, subject.known)
  if (status !== 401 || caller === null) return
  const at = caller.keys.indexOf(key ?? '')
  if (at >= (caller.lasting ? 1 : 0)) caller.keys.splice(at, 1)
}

/** Records what an answer shows to exist. */
export function learn(knowledge: Knowledge, exchange: Exchange): void {
  noteValues(knowledge.notes, exchange)
  learnResources(knowledge, exchange)
  knowledge.learnMore(exchange)
}

function learnResources({ pool, notes, answersWith }: Knowledge, exchange: Exchange): void {
  const { operation, params, account, status, json } = exchange
  const resource = answersWith[operation.path] ?? pool.memberOf(operation.path)
  if (resource === null) return
  const names = [...resource.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!)
  const idName = names.at(-1)
  if (idName === undefined) return
  const outer = Object.fromEntries(names.slice(0, -1).map((name) => [name, params[name] ?? '']))
  for (const id of idsIn(json)) {
    const all = { ...outer, [idName]: id }
    // Of permanent resources, only parts that requests added may be changed.
    const lasting = status !== 201 && pool.isWithinLasting(resource, all)
    pool.add(resource, { params: all, owner: account, lasting })
    notes.note(resource.split('/').at(-2)!, ownerOf(exchange)('ids'), id)
  }
}

/** Ids of the whole, and of the items of a list in it. */
function idsIn(json: unknown): readonly string[] {
  return itemsIn(json).flatMap(({ id }) => (typeof id === 'string' && id !== '' ? [id] : []))
}

/** Cursors, and the targets of members named like `event_id` or `eventId`. */
function noteValues(notes: Notes, exchange: Exchange): void {
  const owner = ownerOf(exchange)
  for (const item of itemsIn(exchange.json)) {
    for (const [name, value] of Object.entries(item)) {
      const kind = kindOf(name)
      if (typeof value === 'string' && value !== '' && kind !== null) notes.note(kind, owner(kind), value)
    }
  }
}

/**
 * The owner of a value: a cursor belongs to one list of one tenant, an acknowledgement to one consumer, an id
 * to the tenant. If one account manages several tenants, the path distinguishes them.
 */
export function ownerOf({ account, params, path }: Pick<Exchange, 'account' | 'params' | 'path'>) {
  const tenant = Object.values(account?.params ?? {})[0]?.[0] ?? Object.values(params)[0] ?? ''
  return (kind: string) => {
    if (kind === CURSORS) return `${tenant} ${path}`
    return kind === ACKS ? `${tenant} ${path.slice(0, path.lastIndexOf('/'))}` : tenant
  }
}

const CURSORS = 'cursors'
/** Returned by `/consumers/{name}/events`, sent to `/consumers/{name}/ack`. */
const ACKS = 'acks'

/** The target of a member with this name: its collection, a cursor or an acknowledgement. `null`: none. */
export function kindOf(name: string): string | null {
  if (name === 'ack') return ACKS
  if (/cursor$|^after$|^before$/i.test(name)) return CURSORS
  const [, what] = /^(.+?)(?:_id|Id)$/.exec(name) ?? []
  return what === undefined ? null : `${what}s`
}

const itemsIn = (json: unknown) => {
  const members = membersOf(json)
  return [members, ...Object.values(members).filter(Array.isArray).flat().map(membersOf)]
}

export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
