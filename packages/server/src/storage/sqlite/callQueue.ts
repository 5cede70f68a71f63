import { Turns } from '../turns.ts'
import type { Call, VerbParams } from './messages.ts'

/** Calls that belong to no workspace alone: the sender's own, and those about credentials and nodes. */
const NO_WORKSPACE = 0

/** Calls that wait for the thread. */
export class CallQueue {
  readonly #turns = new Turns<Call>()

  get empty(): boolean {
    return this.#turns.empty
  }

  add(call: Call): void {
    this.#turns.add(workspaceOf(call.verb, call.params), call)
  }

  next(): Call | undefined {
    return this.#turns.next()
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
