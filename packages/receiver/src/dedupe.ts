import { ensureSetup } from './core/errors.ts'
import type { Handle } from './handlers/answer.ts'
import { type AnyVerified, defaultEntity, defaultVersion, type Version } from './process/entity.ts'
import { type ProcessOptions, processOnce } from './process/processOnce.ts'

export type { Handle } from './handlers/answer.ts'
export type { AnyVerified, Version } from './process/entity.ts'
export { type MemoryStoreOptions, memoryStore } from './process/memoryStore.ts'
export { EventBusyError, type ProcessOptions } from './process/processOnce.ts'
export type { ClaimedEvent, ClaimResult, ProcessedStore } from './process/store.ts'

export interface DedupeOptions<Verified> extends ProcessOptions {
  /** What is the same for all copies of an event. Default: `verified.id`. */
  readonly id?: ((verified: Verified) => string) | undefined
}

/**
 * Handles each event once, however often it arrives. Copies of an event that was handled are answered as handled. A copy
 * that arrives meanwhile waits, then is answered as handled, or with 503 so that the sender retries. If `handle` throws, the next copy is handled; after a
 * crash, once the claim has expired.
 */
export function dedupe<Verified extends AnyVerified, Context extends readonly unknown[]>(
  options: DedupeOptions<Verified>,
  handle: Handle<Verified, Context>,
): (verified: Verified, ...context: Context) => Promise<void> {
  const { name, id: idOf = (verified: Verified) => verified.id } = options
  return processOnce(
    options,
    (verified) => {
      const id = idOf(verified)
      ensureSetup(
        typeof id === 'string' && id !== '',
        'event_has_no_id',
        'The event has no id to recognize repeats by. Pass dedupe a function `id` that returns one.',
      )
      return { key: `${name}:event:${id}`, version: 0, event: '' }
    },
    handle,
  )
}

export interface NewestOnlyOptions<Verified> extends ProcessOptions {
  /**
   * What the event is about; events of one entity are ordered. `null`: the event is handled whatever was handled before.
   * Default: see the README.
   */
  readonly entity?: ((verified: Verified) => string | null) | undefined
  /** Orders the events of an entity. Default: the time of the event. */
  readonly version?: ((verified: Verified) => Version) | undefined
}

/**
 * Handles an event unless a newer one of its entity was handled; then it is answered as handled. One event of an entity is handled
 * at a time: another that arrives meanwhile waits its turn, and is answered with 503 if that takes long, so that the sender
 * retries. Of two events with the same version both are handled.
 */
export function newestOnly<Verified extends AnyVerified, Context extends readonly unknown[]>(
  options: NewestOnlyOptions<Verified>,
  handle: Handle<Verified, Context>,
): (verified: Verified, ...context: Context) => Promise<void> {
  const { name, entity: entityOf = defaultEntity, version: versionOf = defaultVersion } = options
  return processOnce(
    options,
    (verified) => {
      const entity = entityOf(verified)
      if (entity === null) return null
      const version = numberOf(versionOf(verified))
      return { key: `${name}:entity:${entity}`, version, event: verified.id ?? '' }
    },
    handle,
  )
}

/** Times in milliseconds. */
function numberOf(version: Version | undefined): number {
  const number = typeof version === 'string' ? Date.parse(version) : Number(version)
  ensureSetup(
    Number.isSafeInteger(number),
    'event_has_no_version',
    'The event has no version to order it by: pass newestOnly a function `version` that returns a whole number, a Date or an ISO 8601 time.',
  )
  return number
}
