/** One thing to measure: `npm run bench -- <name> [flags]`. */
export interface Scenario {
  readonly name: string
  /** One line for the help. */
  readonly summary: string
  /** Its flags, one on a line. */
  readonly usage: string
  /** Measures, prints a table. @returns whether the run was sound: figures of one that lost events mean nothing */
  run(args: readonly string[]): Promise<boolean>
}
