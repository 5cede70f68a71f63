import { readFileSync } from 'node:fs'
import { SettingError } from '../settings.ts'

/**
 * The keys that a relay publishes with, by workspace.
 * @param given each `workspace=key`
 * @param file with one of these in a line; `#` begins a comment
 * @throws SettingError
 */
export function relayKeys(given: readonly string[], file: string | undefined): ReadonlyMap<string, string> {
  const keys = new Map<string, string>()
  for (const text of given) keys.set(...pairIn(text, '--key or POSTHORN_OUTBOX_KEYS'))
  for (const text of file === undefined ? [] : linesOf(file)) keys.set(...pairIn(text, '--keys-file'))
  if (keys.size === 0)
    throw new SettingError(
      'give a key for each workspace, with --key acme=<key>, POSTHORN_OUTBOX_KEYS or --keys-file',
    )
  return keys
}

function pairIn(text: string, from: string): [workspace: string, key: string] {
  const at = text.indexOf('=')
  if (at < 1 || at === text.length - 1)
    throw new SettingError(`${from}: use workspace=key, such as acme=<key>`)
  const [workspace, key] = [text.slice(0, at).trim(), text.slice(at + 1).trim()]
  if (workspace === '' || !/^[!-~]+$/.test(key))
    throw new SettingError(
      `${from}: the key of ${workspace} contains characters that are not allowed; copy the whole key, without spaces`,
    )
  return [workspace, key]
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
  } catch (error) {
    throw new SettingError(`--keys-file: ${(error as Error).message}`)
  }
}
