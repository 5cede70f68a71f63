import type { ServedProfile } from '../../../profiles/compile.ts'
import { type SampleRequest, sampleOf, sampleSecret } from './samples.ts'
import { describedTypes, eventServiceOf } from './service.ts'

/** A request of a service as a receiver would get it, under a made-up secret. */
export function sampleRequest(
  served: ServedProfile,
): SampleRequest & { readonly type: string; readonly secret: string } {
  const service = eventServiceOf(served)
  // One that is described, if there is one.
  const type = describedTypes(service)[0]!
  return { ...sampleOf(service, type), type: type.type, secret: sampleSecret(served) }
}
