import type { ApiDocument } from '../api/apiDocument.ts'

/** Whoever may act: the credentials of one tenant for the operations of one document. */
export interface Account {
  readonly document: string
  /** Sent as bearer tokens; all are valid. */
  readonly keys: string[]
  /** Tokens that were valid once, or that may do nothing. */
  readonly spentKeys: readonly string[]
  /** Values that path parameters have for this tenant alone, such as the id of its workspace. */
  readonly params: Readonly<Record<string, readonly string[]>>
  /** There from the beginning, and must be there in the end. */
  readonly lasting: boolean
}

/** A tenant may have an account for each of several documents: credentials that come to one may open the other. */
export function isSameTenant(one: Account, other: Account): boolean {
  if (one === other) return true
  return Object.entries(one.params).some(([name, values]) =>
    values.some((value) => other.params[name]?.includes(value)),
  )
}

export type Params = Readonly<Record<string, string>>

/** Something that exists, by the parameters of the path that leads to it. */
export interface Known {
  readonly params: Params
  /** `null`: nobody's in particular. */
  readonly owner: Account | null
  /** May be looked at and added to, but neither changed nor removed. */
  readonly lasting: boolean
}

/** Something that exists, and the path of its kind. */
export interface Subject {
  readonly resource: string
  readonly known: Known
}

/** How many of one kind are remembered; newer ones take the place of older ones. */
const REMEMBERED = 64

/** What earlier answers showed to exist, so that later requests can be about it. */
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

  /** The resource whose collection a path is, or lies below: `/things/batch` → `/things/{id}`. */
  memberOf(path: string): string | null {
    const parents = [path, path.slice(0, path.lastIndexOf('/'))]
    return parents.map((parent) => this.#childOf(parent)).find((child) => child !== null) ?? null
  }

  /** True for a path that is a collection itself. */
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

  /** @param n any number; which one it picks depends on what is known */
  pick(resource: string, n: number, wanted: (known: Known) => boolean): Known | null {
    const candidates = (this.#known.get(resource) ?? []).filter(wanted)
    return candidates[n % candidates.length] ?? null
  }

  /** Takes out what turned out to be gone. */
  forget(resource: string, known: Known): void {
    const all = this.#known.get(resource) ?? []
    this.#known.set(
      resource,
      all.filter((one) => one !== known || one.lasting),
    )
  }

  /** True for what is part of something lasting. */
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

/** A list with one more, and for that without its oldest when it is long. */
export function remembered<T>(all: readonly T[], one: T, isLasting: (one: T) => boolean): T[] {
  if (all.length < REMEMBERED) return [...all, one]
  const oldest = all.findIndex((other) => !isLasting(other))
  return [...all.filter((_, i) => i !== oldest), one]
}
