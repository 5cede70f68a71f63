/** An idle connection, which can be closed without loss. */
export interface Closable {
  destroy(): void
}

/** Limits of idle connections. */
export interface IdleLimits {
  readonly node: number
  readonly perWorkspace: number
  readonly perOrigin: number
}

/** With TLS an idle connection takes 50 KB, and a file descriptor that a new connection may need. */
const LIMITS: IdleLimits = { node: 2_048, perWorkspace: 1_024, perOrigin: 1_024 }

/**
 * The idle connections of a node, over all webhooks. Beyond a limit, the least recently used one is closed: of the node, the
 * workspace or the origin, whichever has too many.
 */
export class IdleConnections {
  readonly #limits: IdleLimits
  readonly #node: IdleList
  readonly #workspaces = new Map<number, IdleList>()
  readonly #origins = new Map<string, IdleList>()

  constructor(limits: Partial<IdleLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
    this.#node = new IdleList(this.#limits.node)
  }

  get size(): number {
    return this.#node.size
  }

  /** Workspaces and origins in memory. */
  get lists(): number {
    return this.#workspaces.size + this.#origins.size
  }

  /** @param entry not in a list */
  add(entry: IdleEntry, workspaceId: number, origin: string): void {
    const { perWorkspace, perOrigin } = this.#limits
    this.#node.append(entry.inNode)
    this.#listIn(this.#workspaces, workspaceId, perWorkspace).append(entry.inWorkspace)
    this.#listIn(this.#origins, origin, perOrigin).append(entry.inOrigin)
    entry.inNode.list!.closeSurplus()
    entry.inWorkspace.list?.closeSurplus()
    entry.inOrigin.list?.closeSurplus()
  }

  /** For when the process runs out of file descriptors. */
  closeAll(): void {
    this.#node.close(this.#node.size)
  }

  #listIn<K>(lists: Map<K, IdleList>, key: K, limit: number): IdleList {
    const found = lists.get(key)
    if (found !== undefined) return found
    // Empty lists are removed in bulk: a single webhook empties its own with every request.
    if (lists.size > 2 * this.#limits.node)
      for (const [other, { size }] of lists) if (size === 0) lists.delete(other)
    const list = new IdleList(limit)
    lists.set(key, list)
    return list
  }
}

/** The position of one connection in the lists. */
export class IdleEntry {
  readonly connection: Closable
  readonly inNode = new Place(this)
  readonly inWorkspace = new Place(this)
  readonly inOrigin = new Place(this)

  constructor(connection: Closable) {
    this.connection = connection
  }

  /** It is no longer idle. */
  remove(): void {
    this.inNode.leave()
    this.inWorkspace.leave()
    this.inOrigin.leave()
  }
}

class Place {
  readonly entry: IdleEntry | null
  list: IdleList | null = null
  next: Place = this
  previous: Place = this

  constructor(entry: IdleEntry | null) {
    this.entry = entry
  }

  leave(): void {
    if (this.list === null) return
    this.list.size -= 1
    this.list = null
    this.previous.next = this.next
    this.next.previous = this.previous
    this.next = this
    this.previous = this
  }
}

/** A linked list, since connections come and go with every request. The least recently used one is first. */
class IdleList {
  size = 0
  readonly #limit: number
  readonly #root = new Place(null)

  constructor(limit: number) {
    this.#limit = limit
  }

  append(place: Place): void {
    const last = this.#root.previous
    place.list = this
    place.previous = last
    place.next = this.#root
    last.next = place
    this.#root.previous = place
    this.size += 1
  }

  closeSurplus(): void {
    if (this.size > this.#limit) this.close(this.size - this.#limit)
  }

  close(count: number): void {
    for (let left = count; left > 0; left--) {
      const { entry } = this.#root.next
      entry!.remove()
      entry!.connection.destroy()
    }
  }
}
