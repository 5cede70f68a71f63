import { FAST_SETTINGS, startPostgres } from '../../src/postgres/server.ts'
import { startOf, tell } from '../../src/support/programSide.ts'

/** Messages of a process that starts a server and does not end it. */
export interface FromOwner {
  readonly kind: 'started'
  readonly url: string
  readonly dataDir: string
}

await startOf()
const server = await startPostgres({ settings: FAST_SETTINGS })
tell<FromOwner>({ kind: 'started', url: server.url(), dataDir: server.dataDir })
