import { Turns } from '../../core/turns.ts'
import { workspaceOf } from '../workspaceOf.ts'
import type { Call } from './messages.ts'

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
