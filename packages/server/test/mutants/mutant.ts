/** A bug that is put into the code to see that a suite finds it. */
export interface Mutant {
  /** What goes wrong, in words. */
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
  /** What the names of its tests contain; absent: all of the files. */
  readonly tests?: string
  /** Whether it needs a PostgreSQL server, or the built worker of the embedded store. */
  readonly needs?: 'postgres' | 'build'
}
