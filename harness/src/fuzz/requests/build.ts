import type { JsonSchema } from '../../api/jsonSchema.ts'
import type { WireRequest } from '../../api/transport.ts'
import { type Knowledge, ownerOf } from '../knowledge.ts'
import { type Account, isSameTenant, type Params, type Subject } from '../pool.ts'
import type { Described } from '../router.ts'
import { mutate } from '../values/mutate.ts'
import { accountFor, credentialsFor } from './credentials.ts'
import { damaged } from './damage.ts'
import { filledIn } from './fromNotes.ts'
import { type Header, sendable, wellFormed } from './oddities.ts'
import { pathFor } from './paths.ts'
import type { Plan } from './plan.ts'

/** A request ready to be sent, with the facts about it. */
export interface BuiltRequest {
  readonly wire: WireRequest
  /** The owner of its credentials; `null`: none. */
  readonly caller: Account | null
  /** Its credentials, if they should be valid. */
  readonly key: string | null
  /** The intended path parameters, not encoded. */
  readonly params: Params
  readonly subject: Subject | null
  /** The path names a resource of another tenant. */
  readonly isForeign: boolean
}

/** Fills in placeholders with values known now. */
type Fill = (value: unknown) => unknown

/** Turns a plan into a request about resources that exist now. */
export function build(plan: Plan, described: Described, knowledge: Knowledge): BuiltRequest {
  const account = accountFor(plan, described, knowledge)
  const { authorization, key, caller } = credentialsFor(plan, account, knowledge)
  const { path, params, subject, owner } = pathFor(plan, described, account, knowledge)
  const fill: Fill = (value) => filledIn(value, knowledge.notes, ownerOf({ account, params, path }))
  const body = bodyFor(plan, described, fill)
  const headers: Header[] = [
    ...(authorization === null ? [] : [['authorization', authorization] as const]),
    ...(body === null ? [] : [['content-type', 'application/json'] as const]),
    ...Object.entries(fill(plan.headers) as object).map(
      ([name, value]) => [name, sendable(String(value))] as const,
    ),
  ]
  const oddNames = new Set(plan.oddHeaders.map(([name]) => name))
  return {
    wire: {
      method: plan.method ?? described.operation.method.toUpperCase(),
      path: path + queryFor(plan, fill),
      headers: [...headers.filter(([name]) => !oddNames.has(name)), ...plan.oddHeaders],
      body,
    },
    caller,
    key,
    params,
    subject,
    isForeign: owner !== null && caller !== null && !isSameTenant(owner, caller),
  }
}

function queryFor({ query, oddQuery }: Plan, fill: Fill): string {
  if (oddQuery !== null) return `?${oddQuery}`
  const search = Object.entries(fill(query) as object).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(wellFormed(String(value)))}`,
  )
  return search.length === 0 ? '' : `?${search.join('&')}`
}

function bodyFor(plan: Plan, { document, operation }: Described, fill: Fill): Buffer | null {
  if (plan.body === undefined) return null
  const value = fill(plan.body)
  const schema = operation.body?.content.get('application/json') ?? null
  const resolve = (ref: string) => document.places.at<JsonSchema>(ref).value
  const mutated =
    plan.mutation === null
      ? value
      : mutate(value, plan.mutation, schema === null ? true : { $ref: schema.pointer }, resolve)
  const text = JSON.stringify(mutated)
  return plan.damage === null ? Buffer.from(text) : damaged(text, plan.damage)
}
