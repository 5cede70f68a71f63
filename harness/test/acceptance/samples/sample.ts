import type { Call } from '../../../src/api/client.ts'
import type { Account } from '../accounts.ts'

/** Creates what an operation needs in a workspace, and returns a call that succeeds. */
type Sample = (account: Account) => Promise<Call> | Call

/** One for each operation, by its id. */
export type Samples = Readonly<Record<string, Sample>>
