import path from 'node:path'
import { type Clock, systemClock } from '../core/clock.ts'
import type { SecretBox } from '../engine/secretBox.ts'
import type { StoreFacts } from '../http/shared/storeFacts.ts'
import { openPostgresStorage } from '../storage/postgres/open.ts'
import { placeOf } from '../storage/postgres/servers.ts'
import {
  beginStore,
  lookForStore,
  prepareDirectory,
  refuseLoneLog,
  storeIsWhole,
} from '../storage/sqlite/dataDirectory.ts'
import { holdsStore, openSqliteStorage } from '../storage/sqlite/open.ts'
import { type Storage, StoreOpenError } from '../storage/storage.ts'
import { adviseIfInUse } from './directoryInUse.ts'
import { ensureMasterKeys, KEY_FILES, readMasterKeys } from './generatedKeys.ts'
import { openWithKeys } from './masterKeys.ts'
import type { Config } from './settings.ts'
import { embeddedFacts, postgresFacts } from './storeFacts.ts'
import { whyNotNewHere, whyNotNewThere } from './whyNotNew.ts'

const SHARE_KEY =
  "set POSTHORN_MASTER_KEY of the first node on every node. If it is not in that node's settings, it is in the file master-key of its data directory"

export interface OpenedStore {
  readonly storage: Storage
  /** The time that all nodes of the store share. */
  readonly clock: Clock
  readonly secretBox: SecretBox
  /** The file into which the master key was just generated, if it was. */
  readonly keyGeneratedIn: string | null
  /** Whether there was no store before. */
  readonly isNew: boolean
  /** Counts of the store's own work. */
  readonly counter: { readonly statements: number; readonly commits: number } | null
  /** Its location, for people; without a password. */
  readonly place: string
  readonly facts: StoreFacts
}

/**
 * Opens the configured store, with the key of its secrets.
 * @throws StoreOpenError, SettingError with one line for the operator
 */
export function openStore(config: Config): Promise<OpenedStore> {
  return config.databaseUrl === null ? openEmbedded(config) : openDatabase(config, config.databaseUrl)
}

async function openEmbedded(config: Config): Promise<OpenedStore> {
  const { dataDir, newStore } = config
  const isThere = refuseLostStore(config)
  // Otherwise the error for another kind of file would be about a missing key.
  const needsKey = isThere && readMasterKeys(config) === null && holdsStore(dataDir, newStore)
  const keys = ensureMasterKeys(config, needsKey)
  const storage = await openSqliteStorage({
    dataDir,
    clock: systemClock,
    create: !isThere || newStore,
  }).catch((error: unknown) => {
    throw adviseIfInUse(path.resolve(dataDir), error)
  })
  storeIsWhole(dataDir)
  return closingOnError(storage, async () => ({
    storage,
    clock: systemClock,
    secretBox: await openWithKeys(keys.value, {
      storage,
      newestSecret: storage.newestSecret,
      otherKey: (needs) =>
        `POSTHORN_MASTER_KEY: the key in use does not decrypt the signing secrets in ${path.resolve(dataDir)}; set the key that it was served with${needs}, or restore the file master-key of this directory`,
      takesAnyWhenEmpty: true,
    }),
    keyGeneratedIn: keys.generatedIn,
    isNew: storage.isNew,
    counter: null,
    place: path.resolve(dataDir),
    facts: embeddedFacts(dataDir),
  }))
}

/**
 * A lost store must not be silently replaced by an empty one.
 * @returns whether there is a store; if not, its creation has started
 * @throws StoreOpenError
 */
function refuseLostStore({ dataDir, newStore }: Config): boolean {
  prepareDirectory(dataDir)
  refuseLoneLog(dataDir)
  const found = lookForStore(dataDir, KEY_FILES)
  const refusal = newStore ? null : whyNotNewHere(dataDir, found)
  if (refusal !== null) throw new StoreOpenError(refusal)
  if (found.state === 'store') return true
  beginStore(dataDir)
  return false
}

async function openDatabase(config: Config, url: string): Promise<OpenedStore> {
  // Checked first: meanwhile another node may create the store, and this one its files.
  const whyNotNew = config.newStore ? null : whyNotNewThere(config.dataDir, url)
  const storage = await openPostgresStorage({ url, clock: systemClock, whyNotNew })
  return closingOnError(storage, async () => {
    const needsKey = (await storage.masterKeys.readKeyCheck({})) !== null
    const { value: keys, generatedIn: keyGeneratedIn } = ensureMasterKeys(config, needsKey, SHARE_KEY)
    const secretBox = await openWithKeys(keys, {
      storage,
      newestSecret: null,
      otherKey: (needs) =>
        `POSTHORN_MASTER_KEY: the store in the database uses another key${needs}; ${SHARE_KEY}`,
      takesAnyWhenEmpty: false,
    })
    const { clock, counter, isNew } = storage
    const facts = postgresFacts(storage)
    return { storage, clock, secretBox, keyGeneratedIn, isNew, counter, place: placeOf(url), facts }
  })
}

async function closingOnError<Result>(storage: Storage, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    await storage.close()
    throw error
  }
}
