/** Ends the run with its message alone, which says what would be right. */
export class BenchError extends Error {
  override readonly name = 'BenchError'
}

/** What there is to say of an error; of one that nobody foresaw, where it came from too. */
export function toldOf(error: unknown): string {
  if (error instanceof BenchError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
