import { BenchError } from '../frame/benchError.ts'

interface MayFail {
  on(kind: 'failed', listener: (message: { readonly reason: string }) => void): void
}

/**
 * Listens for requests of a program that got an unexpected answer.
 * @param what of the program, for the message
 * @returns a function that throws a BenchError with the first of them, if there was one
 */
export function watchFailures(program: MayFail, what: string): () => void {
  let first: string | null = null
  program.on('failed', ({ reason }) => {
    first ??= reason
  })
  return () => {
    if (first !== null) throw new BenchError(`a ${what} failed: ${first}`)
  }
}
