import type { OutboxState } from '../../http/shared/outboxState.ts'
import type { RelayObserver } from '../../outbox/observer.ts'

/** Remembers the last report of a relay, and passes all reports on. */
export class RelayWatch implements RelayObserver {
  readonly #next: RelayObserver
  #state: OutboxState

  constructor(outbox: string, next: RelayObserver) {
    this.#next = next
    this.#state = {
      outbox,
      readable: null,
      publishing: true,
      blockedWorkspaces: 0,
      pending: 0,
      oldestPendingMs: 0,
      failed: 0,
      storedBytes: 0,
    }
  }

  get state(): OutboxState {
    return this.#state
  }

  published: RelayObserver['published'] = (lagsMs) => this.#next.published(lagsMs)

  held: RelayObserver['held'] = (state, count) => this.#next.held(state, count)

  blockedWorkspaces: RelayObserver['blockedWorkspaces'] = (blockedWorkspaces) => {
    this.#state = { ...this.#state, blockedWorkspaces }
    this.#next.blockedWorkspaces(blockedWorkspaces)
  }

  backlog: RelayObserver['backlog'] = (backlog) => {
    this.#state = { ...this.#state, ...backlog, readable: backlog !== null }
    this.#next.backlog(backlog)
  }

  stored: RelayObserver['stored'] = (stored) => {
    this.#state = { ...this.#state, storedBytes: stored.emittedBytes + stored.heldBytes }
    this.#next.stored(stored)
  }

  reachable: RelayObserver['reachable'] = (publishing) => {
    this.#state = { ...this.#state, publishing }
    this.#next.reachable(publishing)
  }
}
