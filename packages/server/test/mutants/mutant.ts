/** A bug added to the code to check that a suite finds it. */
export interface Mutant {
  /** Description of the bug. */
  readonly name: string
  /** From the root of the repository. */
  readonly file: string
  /** Occurs in the file exactly once. */
  readonly text: string
  readonly replacement: string
  readonly caughtBy: Suite
}

/** Tests of which at least one must fail. */
export interface Suite {
  readonly files: readonly string[]
  /** Part of the names of its tests; absent: all of the files. */
  readonly tests?: string
  /** Whether it needs a PostgreSQL server, or the built worker of the embedded store. */
  readonly needs?: 'postgres' | 'build'
}
