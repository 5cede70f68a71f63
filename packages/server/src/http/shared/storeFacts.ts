export const STORE_KINDS = ['embedded', 'postgresql'] as const

/** Facts that are known where the store is opened. */
export interface StoreFacts {
  readonly kind: (typeof STORE_KINDS)[number]
  /** The schema that this release works with. */
  readonly schemaVersion: number
  /** Size of the database in bytes; rejects when it cannot be read. */
  readonly bytes: () => Promise<number>
}
