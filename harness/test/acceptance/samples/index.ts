import type { Call } from '../../../src/api/client.ts'
import { type Account, openAccount, serviceOf } from '../accounts.ts'
import type { Described } from '../operations.ts'
import { adminSamples } from './admin.ts'
import { adsSamples } from './ads.ts'
import { consoleSamples } from './console.ts'
import { contentSamples } from './content.ts'
import type { Samples } from './sample.ts'

const samples: Samples = { ...contentSamples, ...adsSamples, ...adminSamples, ...consoleSamples }

/** @throws Error when the operation has no sample yet */
export async function sampleIn(account: Account, { id }: Described): Promise<Call> {
  const sample = samples[id]
  if (sample === undefined) throw new Error(`${id} needs a sample in harness/test/acceptance/samples`)
  return sample(account)
}

/** A call that succeeds, in its own workspace. */
export const sampleOf = async (operation: Described): Promise<Call> =>
  sampleIn(await openAccount(serviceOf(operation)), operation)
