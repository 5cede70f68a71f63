import { ensureSetup } from '../core/errors.ts'

/** Expired rows are deleted once in so many completed events, and no more than so many at a time. */
const PURGE_EVERY = 100
export const PURGE_ROWS = 500

export interface SqlStoreOptions {
  /** Name of the table, with its schema if need be. Default: `webhook_events`. */
  readonly table?: string | undefined
}

export const DEFAULT_TABLE = 'webhook_events'

/** @throws {ReceiverConfigurationError} `option_invalid`: names are not parameters of SQL, so nothing else may be in them. */
export function checkTable(table: string): string {
  ensureSetup(
    /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$/.test(table),
    'option_invalid',
    'table must have only letters, digits and underscores, such as webhook_events or app.webhook_events.',
  )
  return table
}

/** @returns whether this call should delete expired rows */
export function purgeTurns(): () => boolean {
  let completed = 0
  return () => {
    completed += 1
    return completed % PURGE_EVERY === 0
  }
}
