/** Ends the run and prints only its message, which says what to do. */
export class BenchError extends Error {
  override readonly name = 'BenchError'
}

/** The message of an error; for an unexpected one, with its stack. */
export function messageOf(error: unknown): string {
  if (error instanceof BenchError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
