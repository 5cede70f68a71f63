export interface Page {
  readonly limit: number
  /** Rows older than this row; `null`: from the newest. */
  readonly before: number | null
}
