import { readFileSync } from 'node:fs'
import type { SettingsRead } from '../config/parseConfig.ts'
import { fileOfSecret, type Setting } from '../config/setting.ts'
import { adminTokenFile, masterKeyFile } from '../generatedKeys.ts'
import { SETTINGS, type SettingName } from '../settings.ts'

/** A secret that this process has at hand. */
export interface KnownSecret {
  /** Where it is from, for people. */
  readonly from: string
  readonly value: string
}

const SHORTEST = 8
/** A password such as `posthorn` or `postgres` is a word that the bundle is full of. */
const IS_WORD = /^(?:[a-z]{1,15}|[A-Z][a-z]{1,14}|\d+)$/

/** Secrets that ordinary text may contain by chance: they are searched for as a password in a URL alone. */
export const isOrdinary = ({ value }: KnownSecret): boolean => value.length < SHORTEST || IS_WORD.test(value)

interface Places {
  readonly read: Pick<SettingsRead, 'given'>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly dataDir: string | null
}

/** Every secret in the settings, the files that they name, the data directory and the environment. */
export function knownSecrets({ read, environment, dataDir }: Places): readonly KnownSecret[] {
  const secrets = new Map<string, string>()
  const add = (from: string, values: readonly (string | undefined)[]) => {
    for (const value of values) if (value !== undefined && value !== '') secrets.set(value, from)
  }
  for (const [name, setting] of Object.entries(SETTINGS) as [SettingName, Setting<unknown>][]) {
    if (setting.secret === undefined) continue
    // A text that was rejected, since it is set twice, is in the environment alone.
    const file = environment[fileOfSecret(setting).variable]
    const texts = [
      read.given.get(name)?.text,
      environment[setting.variable],
      ...(file === undefined ? [] : contentOf(file)),
    ]
    for (const text of texts) add(setting.variable, secretsIn(name, text ?? ''))
  }
  add('POSTHORN_TLS_KEY_FILE', linesOfKey(read.given.get('tlsKeyFile')?.text))
  if (dataDir !== null)
    for (const file of [adminTokenFile(dataDir), masterKeyFile(dataDir)])
      add(file, contentOf(file).flatMap(wordsOf))
  add('POSTHORN_OUTBOX_KEYS', wordsOf(environment.POSTHORN_OUTBOX_KEYS ?? '').map(behindEquals))
  add('PGPASSWORD', [environment.PGPASSWORD])
  return [...secrets].map(([value, from]) => ({ from, value }))
}

function secretsIn(name: SettingName, text: string): readonly string[] {
  if ((SETTINGS[name] as Setting<unknown>).secret === 'password') return passwordsIn(text)
  if (name !== 'otlpHeaders') return [text, ...wordsOf(text)]
  // The scheme before a token, such as Bearer, is none.
  const values = text.split(',').map((pair) => decoded(behindEquals(pair)))
  return [text, ...values, ...values.map((value) => value.split(' ').at(-1)!)]
}

/** Of a URL, which may be one that cannot be parsed. */
function passwordsIn(url: string): readonly string[] {
  const account = /:\/\/(.*)@/s.exec(url)?.[1] ?? ''
  const at = account.indexOf(':')
  // What stands alone before the `@` of a web address is often a token.
  const password = at >= 0 ? account.slice(at + 1) : /^https?:/i.test(url) ? account : ''
  const inQuery = [...url.matchAll(/[?&][^=&]*(?:pass|secret|token)[^=&]*=([^&#]*)/gi)].map(
    ([, value]) => value!,
  )
  return [password, ...inQuery].flatMap((value) => [value, decoded(value)])
}

/** The first line of a PEM file's contents says what kind of key it is, and is much the same for all. */
function linesOfKey(file: string | undefined): readonly string[] {
  if (file === undefined) return []
  const lines = contentOf(file).flatMap((text) => text.split('\n'))
  return lines
    .map((line) => line.trim())
    .filter((line) => /^[A-Za-z0-9+/=]{32,}$/.test(line))
    .slice(1)
}

const wordsOf = (text: string): readonly string[] => text.split(/[\s,]+/)

const behindEquals = (pair: string): string => pair.slice(pair.indexOf('=') + 1)

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function contentOf(file: string): readonly string[] {
  try {
    return [readFileSync(file, 'utf8').trim()]
  } catch {
    return []
  }
}
