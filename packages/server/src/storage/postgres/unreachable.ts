import { StoreUnavailableError } from '../storage.ts'
import { toStoreError } from './failures.ts'
import { placeOf, type Server } from './servers.ts'

/** No server could be connected to; the message tells of each that was tried why. */
export class UnreachableError extends StoreUnavailableError {
  constructor(failures: ReadonlyMap<Server, unknown>) {
    const told = [...failures].map(([{ url }, error]) => `${placeOf(url)}: ${reasonOf(error)}`)
    super(told.join('; '), { cause: [...failures.values()].at(-1) })
  }
}

/** @returns why a database cannot be used, with its place, in one line for the operator */
export function refusalOf(url: string, error: unknown): string {
  return error instanceof UnreachableError ? error.message : `${placeOf(url)}: ${reasonOf(error)}`
}

function reasonOf(error: unknown): string {
  const { message } = toStoreError(error)
  // The client finds out in the middle of what it answers to the server.
  if (/^SASL: .*client password must be/.test(message))
    return 'the server asks for a password, and the URL has none'
  // Of a name with several addresses, the error has one for each and no words of its own.
  if (message === '' && error instanceof AggregateError)
    return error.errors.map((one: Error) => one.message).join(', ')
  return message
}
