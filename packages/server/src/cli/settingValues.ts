import { MINUTE_MS, parseDuration, SECOND_MS } from '../core/duration.ts'
import type { Address } from '../mail/mail.ts'
import { parseSender } from '../mail/sender.ts'
import { parseSmtpUrl, type SmtpServer } from '../mail/smtpUrl.ts'
import { parseDatabaseUrl } from '../storage/postgres/servers.ts'
import { MAX_LEASE_MS } from '../storage/storage.ts'
import type { MasterKeys } from './masterKeys.ts'

export function boolean(value: string): boolean {
  if (!/^(true|1|false|0)$/.test(value)) throw new Error(`use true or false (got "${value}")`)
  return value === 'true' || value === '1'
}

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export function logLevel(value: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === value)
  if (level === undefined) throw new Error(`"${value}" is not a log level; use debug, info, warn or error`)
  return level
}

export function positiveDuration(value: string): number {
  const ms = parseDuration(value)
  if (ms === null || ms <= 0) throw new Error(`"${value}" is not a duration such as 15s, 5m, 24h or 30d`)
  return ms
}

const MAX_SHUTDOWN_DELAY_MS = 5 * MINUTE_MS

export function shutdownDelay(value: string): number {
  const ms = parseDuration(value)
  if (ms === null || ms < 0 || ms > MAX_SHUTDOWN_DELAY_MS)
    throw new Error(`"${value}" is not a duration from 0s to 5m`)
  return ms
}

/** A node that is busy for a moment must not lose its lease. */
const MIN_LEASE_MS = 2 * SECOND_MS

export function leaseDuration(value: string): number {
  const ms = positiveDuration(value)
  if (ms < MIN_LEASE_MS) throw new Error(`"${value}" is shorter than 2s, the shortest lease`)
  if (ms > MAX_LEASE_MS) throw new Error(`"${value}" is longer than 10m, the longest lease`)
  return ms
}

export function waits(value: string): number[] {
  const list = value.split(',').map(positiveDuration)
  if (list.length > 50) throw new Error(`use at most 50 waits (got ${list.length})`)
  return list
}

export function integer(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new Error(`"${value}" is not a whole number from ${min} to ${max}`)
    }
    return number
  }
}

const MASTER_KEY_FORM =
  'use 32 bytes in base64, as from `openssl rand -base64 32`, optionally followed by earlier keys, separated by commas'

/** The current key, followed by earlier ones. */
export function masterKeys(value: string): MasterKeys {
  const texts = value.trim().split(/[\s,]+/)
  const [first, ...others] = texts.map((text) => {
    const bytes = Buffer.from(text, 'base64')
    if (bytes.length !== 32 || bytes.toString('base64') !== text) throw new Error(MASTER_KEY_FORM)
    return Uint8Array.from(bytes)
  })
  if (new Set(texts).size < texts.length) throw new Error('remove the duplicate key')
  return [first!, ...others]
}

/** A short token could be guessed, and white space does not survive a header. */
export const isAdminToken = (text: string): boolean => /^[!-~]{16,512}$/.test(text)

export function adminToken(value: string): string {
  if (!isAdminToken(value)) throw new Error('use 16 to 512 visible ASCII characters')
  return value
}

/** The value is never shown: it may contain a password. */
export function smtpUrl(value: string): SmtpServer {
  if (value === '') throw new Error('unset it to have e-mails written as files, or set a URL (it is empty)')
  const server = parseSmtpUrl(value)
  if (server === null)
    throw new Error(
      'use a URL such as smtp://user:password@host:587 or smtps://user:password@host:465. In a user or password, write %40, %3A, %2F, %3F, %23 and %25 for @, :, /, ?, # and %',
    )
  return server
}

export function emailFrom(value: string): Address {
  const sender = parseSender(value)
  if (sender === null)
    throw new Error(
      `${JSON.stringify(value)} is not an e-mail address such as Posthorn <posthorn@example.com>`,
    )
  return sender
}

/** The value is never shown: it usually contains a password. */
export function databaseUrl(value: string): string {
  if (value === '') throw new Error('unset it to use the embedded store, or set a URL (it is empty)')
  const servers = parseDatabaseUrl(value)
  if (servers === null)
    throw new Error(
      'use a URL such as postgres://user:password@host:5432/database. In a password, write %40, %2F, %3F, %23 and %25 for @, /, ?, # and %',
    )
  // Otherwise the client would use a database named like the user.
  if (new URL(servers[0]!.url).pathname.length < 2)
    throw new Error(
      'add the name of the database after the host, as in postgres://user:password@host:5432/database',
    )
  return value
}

export function outboxSource(value: string): string {
  if (/^postgres(ql)?:\/\/./.test(value) || /^sqlite:./.test(value)) return value
  throw new Error(
    'use the URL of a PostgreSQL database, such as postgres://posthorn@db.internal/shop, or `sqlite:` and the path of a file',
  )
}
