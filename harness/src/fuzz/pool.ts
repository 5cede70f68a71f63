import type { ApiDocument } from '../api/apiDocument.ts'

/** The credentials of one tenant for the operations of one document. */
export interface Account {
  readonly document: string
  /** Sent as bearer tokens; all are valid. */
  readonly keys: string[]
  /** Tokens that are no longer valid, or have no rights. */
  readonly spentKeys: readonly string[]
  /** Values of path parameters that only this tenant has, such as the id of its workspace. */
  readonly params: Readonly<Record<string, readonly string[]>>
  /** Exists from the start and must still exist at the end. */
  readonly lasting: boolean
}

/**
 * A tenant may have an account for each of several documents: credentials for one may also be valid for
 * another.
 */
export function isSameTenant(one: Account, other: Account): boolean {
  if (one === other) return true
  return Object.entries(one.params).some(([name, values]) =>
    values.some((value) => other.params[name]?.includes(value)),
  )
}

export type Params = Readonly<Record<string, string>>

/** An existing resource, by the parameters of its path. */
export interface Known {
  readonly params: Params
  /** `null`: no particular owner. */
  readonly owner: Account | null
  /** May be read and added to, but neither changed nor removed. */
  readonly lasting: boolean
}

/** An existing resource, and the path of its kind. */
export interface Subject {
  readonly resource: string
  readonly known: Known
}

/** Number of remembered resources of one kind; newer ones replace older ones. */
const REMEMBERED = 64

/** Resources that earlier answers showed to exist, as targets of later requests. */
export class Pool {
  /** By path of the resource, `/things/{id}`. */
  readonly #known = new Map<string, Known[]>()
  constructor(documents: readonly ApiDocument[]) {
    for (const { operations } of documents) {
      for (const { path } of operations) {
        for (const resource of resourcesOn(path)) this.#known.set(resource, [])
      }
    }
  }

  /** The innermost resource on a path; `null` when there is none. */
  resourceOf(path: string): string | null {
    return resourcesOn(path).at(-1) ?? null
  }

  /** The resource whose collection a path is, or is below: `/things/batch` → `/things/{id}`. */
  memberOf(path: string): string | null {
    const parents = [path, path.slice(0, path.lastIndexOf('/'))]
    return parents.map((parent) => this.#childOf(parent)).find((child) => child !== null) ?? null
  }

  /** True for a path that is itself a collection. */
  isCollection(path: string): boolean {
    return this.#childOf(path) !== null
  }

  add(resource: string, known: Known): void {
    const all = this.#known.get(resource) ?? []
    if (all.some(({ params }) => Object.entries(known.params).every(([name, id]) => params[name] === id)))
      return
    this.#known.set(
      resource,
      remembered(all, known, ({ lasting }) => lasting),
    )
  }

  /** @param n any number; the picked resource depends on the known ones */
  pick(resource: string, n: number, wanted: (known: Known) => boolean): Known | null {
    const candidates = (this.#known.get(resource) ?? []).filter(wanted)
    return candidates[n % candidates.length] ?? null
  }

  /** Removes a resource that turned out to be gone. */
  forget(resource: string, known: Known): void {
    const all = this.#known.get(resource) ?? []
    this.#known.set(
      resource,
      all.filter((one) => one !== known || one.lasting),
    )
  }

  /** True for parts of a permanent resource. */
  isWithinLasting(resource: string, params: Params): boolean {
    return resourcesOn(resource)
      .slice(0, -1)
      .flatMap((outer) => this.#known.get(outer) ?? [])
      .some(
        (known) => known.lasting && Object.entries(known.params).every(([name, id]) => params[name] === id),
      )
  }

  #childOf(path: string): string | null {
    const isChild = (resource: string) => /^\/\{[^/]+\}$/.test(resource.slice(path.length))
    return [...this.#known.keys()].find((resource) => resource.startsWith(path) && isChild(resource)) ?? null
  }
}

/** `/a/{b}/c/{d}/e` → `/a/{b}`, `/a/{b}/c/{d}` */
function resourcesOn(path: string): readonly string[] {
  return [...path.matchAll(/\}(?=\/|$)/g)].map(({ index }) => path.slice(0, index + 1))
}

/** A list with one more item; a long one drops its oldest. */
export function remembered<T>(all: readonly T[], one: T, isLasting: (one: T) => boolean): T[] {
  if (all.length < REMEMBERED) return [...all, one]
  const oldest = all.findIndex((other) => !isLasting(other))
  return [...all.filter((_, i) => i !== oldest), one]
}
