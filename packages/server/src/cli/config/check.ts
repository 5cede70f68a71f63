import { accessSync, constants, statSync } from 'node:fs'
import { systemClock } from '../../core/clock.ts'
import { lookForStore, refuseLoneLog } from '../../storage/sqlite/dataDirectory.ts'
import { KEY_FILES, readAdminToken, readMasterKeys } from '../generatedKeys.ts'
import type { Config } from '../settings.ts'
import { settingWarnings } from '../settingWarnings.ts'
import { isUnencrypted } from '../webSettings.ts'
import { whyNotNewHere } from '../whyNotNew.ts'
import { type SettingsRead, usable } from './parseConfig.ts'

/** What would fail at a start with these settings, one line each. Nothing is connected to or changed. */
interface Checked {
  readonly mistakes: readonly string[]
  readonly warnings: readonly string[]
}

export function checkSettings(read: SettingsRead): Checked {
  if (read.config === null) return { mistakes: read.mistakes, warnings: [] }
  const config = usable(read)
  const ofDirectory = mistakeOf(() => usableDirectory(config))
  const mistakes =
    ofDirectory.length > 0
      ? ofDirectory
      : [
          ...mistakeOf(() => void readMasterKeys(config)),
          ...mistakeOf(() => void (config.adminToken ?? readAdminToken(config.dataDir))),
        ]
  if (mistakes.length > 0) return { mistakes, warnings: [] }
  const isOpen = config.publicUrl !== null && isUnencrypted(config.publicUrl)
  const warnings = settingWarnings(config, systemClock.now()).map(({ text }) => text)
  return { mistakes, warnings: [...warnings, ...(isOpen ? [UNENCRYPTED] : [])] }
}

const UNENCRYPTED =
  'POSTHORN_PUBLIC_URL is not an https:// URL, so others on the network can read session cookies and tokens. Use https://.'

function mistakeOf(check: () => void): readonly string[] {
  try {
    check()
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

/** @throws Error that says why the embedded store cannot be served from the data directory */
function usableDirectory({ dataDir, databaseUrl, newStore }: Config): void {
  const found = statSync(dataDir, { throwIfNoEntry: false })
  // The first start makes it.
  if (found === undefined) return
  if (!found.isDirectory())
    throw new Error(`POSTHORN_DATA_DIR: ${dataDir} is not a directory; name a directory`)
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    throw new Error(`POSTHORN_DATA_DIR: this user has no permission to read and write ${dataDir}`)
  }
  if (databaseUrl !== null) return
  refuseLoneLog(dataDir)
  const refusal = newStore ? null : whyNotNewHere(dataDir, lookForStore(dataDir, KEY_FILES))
  if (refusal !== null) throw new Error(refusal)
}
