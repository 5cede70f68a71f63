/** Ends the run with its message alone, which says what would be right. */
export class BenchError extends Error {
  override readonly name = 'BenchError'
}
