import type { Call, VerbParams } from './messages.ts'

/** Calls that belong to no workspace alone: the sender's own, and those about credentials and nodes. */
const NO_WORKSPACE = 0

/**
 * Calls that wait for the thread. Workspaces take turns, so that whoever has many calls waiting delays the next call of
 * each other one by a single call.
 */
export class CallQueue {
  /** In the order of turns. */
  readonly #waiting = new Map<number, Call[]>()

  get empty(): boolean {
    return this.#waiting.size === 0
  }

  add(call: Call): void {
    const workspaceId = workspaceOf(call.verb, call.params)
    const calls = this.#waiting.get(workspaceId)
    if (calls === undefined) this.#waiting.set(workspaceId, [call])
    else calls.push(call)
  }

  next(): Call | undefined {
    const [turn] = this.#waiting
    if (turn === undefined) return undefined
    const [workspaceId, calls] = turn
    const call = calls.shift()
    this.#waiting.delete(workspaceId)
    if (calls.length > 0) this.#waiting.set(workspaceId, calls)
    return call
  }
}

function workspaceOf(verb: Call['verb'], params: unknown): number {
  if (verb === 'publish')
    return (params as VerbParams<'publish'>).batches[0]?.[0]?.workspaceId ?? NO_WORKSPACE
  if (verb === 'change') {
    const change = params as VerbParams<'change'>
    return workspaceOf(change.verb, change.params)
  }
  return (params as { readonly workspaceId?: number } | undefined)?.workspaceId ?? NO_WORKSPACE
}
