/** What the driver asked of the server since it was opened. */
export interface Counter {
  statements: number
  /** Transactions that wrote and were committed. */
  commits: number
}
