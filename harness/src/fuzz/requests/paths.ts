import type { Knowledge } from '../knowledge.ts'
import { type Account, isSameTenant, type Known, type Params, type Subject } from '../pool.ts'
import type { Described } from '../router.ts'
import type { ParamsPlan, PathEdit, Plan } from './plan.ts'

interface PathFound {
  /** As sent, without a query string. */
  readonly path: string
  /** The intended path parameters, not encoded. */
  readonly params: Params
  /** The subject of the path; `null`: nothing known to exist. */
  readonly subject: Subject | null
  /** The owner of the resource in the path; `null`: none, or the path does not name its intended resource. */
  readonly owner: Account | null
}

export function pathFor(plan: Plan, described: Described, account: Account, knowledge: Knowledge): PathFound {
  const template = described.operation.path
  const names = [...template.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!)
  const subject = subjectFor(plan, described, account, knowledge)
  const own = (name: string) => account.params[name] ?? []
  const params = Object.fromEntries(
    names.map((name) => {
      const values = own(name)
      return [
        name,
        subject?.known.params[name] ?? values[plan.pick % Math.max(values.length, 1)] ?? 'unknown',
      ]
    }),
  )
  const odd = names[plan.pick % Math.max(names.length, 1)]
  const segments = names.map((name) =>
    name === odd ? segmentFor(plan.params, params[name]!) : encodeURIComponent(params[name]!),
  )
  const path = template.replace(/\{[^}]+\}/g, () => segments.shift()!)
  const isMeant = plan.params.kind === 'own' || plan.params.kind === 'of another account'
  const isTheirs = names.some((name) => own(name).length > 0)
  return {
    path: editedPath(path, plan),
    params,
    subject,
    owner: isMeant ? (subject?.known.owner ?? (isTheirs ? account : null)) : null,
  }
}

const SAFE = ['GET', 'HEAD', 'OPTIONS', 'TRACE']

/** A subject for a request: the innermost resource in the path, or its parent. */
function subjectFor(
  plan: Plan,
  { operation }: Described,
  account: Account,
  { pool, destructive }: Knowledge,
): Subject | null {
  const ofAnother = plan.params.kind === 'of another account'
  const method = plan.method ?? operation.method.toUpperCase()
  const isDestructive = destructive.has(operation.id) || (plan.method !== null && !SAFE.includes(method))
  // An edited path may lead to the parent of its subject.
  const mayGoAstray = plan.pathEdit !== null && !SAFE.includes(method)
  const isWanted = (resource: string) => (known: Known) => {
    const { params, owner, lasting } = known
    if ((isDestructive || mayGoAstray) && lasting) return false
    if (mayGoAstray && pool.isWithinLasting(resource, params)) return false
    return owner === null || isSameTenant(owner, account) !== ofAnother
  }
  let resource = pool.resourceOf(operation.path)
  while (resource !== null) {
    const known = pool.pick(resource, plan.pick, isWanted(resource))
    if (known !== null) return { resource, known }
    resource = pool.resourceOf(resource.slice(0, resource.lastIndexOf('/')))
  }
  return null
}

function segmentFor(plan: ParamsPlan, value: string): string {
  if (plan.kind === 'odd') return plan.segment
  if (plan.kind !== 'altered') return encodeURIComponent(value)
  const at = plan.at % Math.max(value.length, 1)
  return `${encodeURIComponent(value.slice(0, at))}${plan.character}${encodeURIComponent(value.slice(at + 1))}`
}

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
