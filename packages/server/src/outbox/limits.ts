/** With the envelope of a request this stays below the 5 MiB of a batch. */
export const BYTES_PER_READ = 4 * 1024 * 1024
/** The limit of all services: 256 KiB, which may be twice as long in the database's spelling, with blanks. */
export const BYTES_OF_EVENT = 512 * 1024
/** Rows of a workspace that waited are published in smaller steps, since most of them may have to wait again. */
export const WAITING_PER_READ = 100
/** Blocked workspaces that a relay keeps in memory. */
export const MOST_BLOCKED = 10_000
/** If there was something to read within this time, a relay polls every {@link BUSY_POLL_MS}. */
export const BUSY_FOR_MS = 1_000
export const BUSY_POLL_MS = 5
