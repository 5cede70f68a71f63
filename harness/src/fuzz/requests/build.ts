import type { JsonSchema } from '../../api/jsonSchema.ts'
import type { WireRequest } from '../../api/transport.ts'
import type { Knowledge } from '../knowledge.ts'
import type { Account, Known, Params } from '../pool.ts'
import type { Described } from '../router.ts'
import { mutate } from '../values/mutate.ts'
import { accountFor, credentialsFor } from './credentials.ts'
import { damaged } from './damage.ts'
import { filledIn } from './fromPool.ts'
import { type Header, wellFormed } from './oddities.ts'
import type { PathEdit, Plan } from './plan.ts'

/** A request ready to be sent, and what is known of it. */
export interface BuiltRequest {
  readonly wire: WireRequest
  /** Whose credentials it carries; `null`: nobody's. */
  readonly caller: Account | null
  /** The path's parameters as they are meant, not encoded. */
  readonly params: Params
  /** What the path names belongs to another account than the caller's. */
  readonly isForeign: boolean
}

/** Turns a plan into a request about what exists now. */
export function build(plan: Plan, described: Described, knowledge: Knowledge): BuiltRequest {
  const account = accountFor(plan, described, knowledge)
  const { authorization, keyOwner } = credentialsFor(plan, account, knowledge)
  const { params, segments, owner } = paramsFor(plan, described, account, knowledge)
  const path = editedPath(pathWith(described.operation.path, segments), plan)
  const body = bodyFor(plan, described, knowledge)
  const headers: Header[] = [
    ...(authorization === null ? [] : [['authorization', authorization] as const]),
    ...(body === null ? [] : [['content-type', 'application/json'] as const]),
    ...Object.entries(plan.headers).map(
      ([name, value]) => [name, headerText(filledIn(value, knowledge.pool))] as const,
    ),
  ]
  const oddNames = new Set(plan.oddHeaders.map(([name]) => name))
  return {
    wire: {
      method: plan.method ?? described.operation.method.toUpperCase(),
      path: path + queryFor(plan, knowledge),
      headers: [...headers.filter(([name]) => !oddNames.has(name)), ...plan.oddHeaders],
      body,
    },
    caller: keyOwner,
    params,
    isForeign: isMeant(plan) && owner !== null && keyOwner !== null && owner !== keyOwner,
  }
}

/** True when the path names what it was made for. */
const isMeant = ({ params }: Plan) => params.kind === 'own' || params.kind === 'of another account'

const headerText = (value: unknown) => String(value).replace(/[^\t\x20-\x7e\x80-\xff]/g, '')

interface ParamsFound {
  readonly params: Params
  /** As they stand in the path. */
  readonly segments: Params
  /** Whose is what they name; `null`: nobody's. */
  readonly owner: Account | null
}

function paramsFor(plan: Plan, described: Described, account: Account, knowledge: Knowledge): ParamsFound {
  const { path, method } = described.operation
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!)
  const ofAnother = plan.params.kind === 'of another account'
  const known = knownFor({ path, method, plan, account, ofAnother }, knowledge)
  const params = Object.fromEntries(
    names.map((name) => {
      const own = account.params[name] ?? []
      return [name, known?.params[name] ?? own[plan.pick % Math.max(own.length, 1)] ?? 'unknown']
    }),
  )
  const segments = Object.fromEntries(
    names.map((name, i) => [name, segmentFor(plan, params[name]!, i === plan.pick % names.length, i)]),
  )
  const isOwn = names.some((name) => account.params[name] !== undefined)
  return { params, segments, owner: known?.owner ?? (isOwn ? account : null) }
}

interface Wanted {
  readonly path: string
  readonly method: string
  readonly plan: Plan
  readonly account: Account
  readonly ofAnother: boolean
}

/** Something that exists to be the subject of a request: the innermost that the path names, or what that is part of. */
function knownFor({ path, method, plan, account, ofAnother }: Wanted, { pool }: Knowledge): Known | null {
  const isHarmless = method === 'get' || pool.isCollection(path)
  const isWanted = ({ owner, lasting }: Known) =>
    (isHarmless || !lasting) && (owner === null || (owner === account) !== ofAnother)
  for (let at: string | null = pool.resourceOf(path); at !== null; ) {
    const known = pool.pick(at, plan.pick, isWanted)
    if (known !== null) return known
    at = pool.resourceOf(at.slice(0, at.lastIndexOf('/')))
  }
  return null
}

function segmentFor({ params }: Plan, value: string, isChosen: boolean, position: number): string {
  if (params.kind === 'odd')
    return isChosen ? params.segments[position % params.segments.length]! : encodeURIComponent(value)
  if (params.kind !== 'altered' || !isChosen) return encodeURIComponent(value)
  const at = params.at % Math.max(value.length, 1)
  return `${encodeURIComponent(value.slice(0, at))}${params.character}${encodeURIComponent(value.slice(at + 1))}`
}

const pathWith = (template: string, segments: Params) =>
  template.replace(/\{([^}]+)\}/g, (_, name: string) => segments[name]!)

function editedPath(path: string, { pathEdit, pick }: Plan): string {
  if (pathEdit === null) return path
  const at = pick % path.length
  const edits: Record<PathEdit, () => string> = {
    'a slash too many': () => `${path.slice(0, at)}/${path.slice(at)}`,
    'a slash at the end': () => `${path}/`,
    doubled: () => `${path}${path}`,
    'upper case': () => path.toUpperCase(),
    encoded: () => path.replace(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    'cut off': () => path.slice(0, at) || '/',
    'very long': () => `${path}/${'x'.repeat(9_000)}`,
  }
  return edits[pathEdit]()
}

function queryFor({ query, oddQuery }: Plan, { pool }: Knowledge): string {
  if (oddQuery !== null) return `?${oddQuery}`
  const search = Object.entries(query).map(([name, value]) => {
    const text = wellFormed(String(filledIn(value, pool)))
    return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`
  })
  return search.length === 0 ? '' : `?${search.join('&')}`
}

function bodyFor(plan: Plan, { document, operation }: Described, { pool }: Knowledge): Buffer | null {
  if (plan.body === undefined) return null
  const value = filledIn(plan.body, pool)
  const schema = operation.body?.content.get('application/json') ?? null
  const resolve = (ref: string) => document.places.at<JsonSchema>(ref).value
  const mutated =
    plan.mutation === null
      ? value
      : mutate(value, plan.mutation, schema === null ? true : { $ref: schema.pointer }, resolve)
  const text = JSON.stringify(mutated)
  return plan.damage === null ? Buffer.from(text) : damaged(text, plan.damage)
}
