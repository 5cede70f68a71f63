import type { Attempt, Delivery } from '../model/delivery.ts'
import { camelKeys } from './camelKeys.ts'

/** A delivery with camel-case names. Lists omit requests. */
type AttemptJson = Omit<Attempt, 'request'> & Partial<Pick<Attempt, 'request'>>
type DeliveryJson = Omit<Delivery, 'requestBody' | 'attempts'> &
  Partial<Pick<Delivery, 'requestBody'>> & { readonly attempts: readonly AttemptJson[] }

export function deliveryOf(json: unknown): Delivery {
  const { requestBody = null, attempts, ...members } = camelKeys(json as DeliveryJson)
  return { ...members, requestBody, attempts: attempts.map(attemptOf) }
}

function attemptOf(json: AttemptJson): Attempt {
  const { request = null, response, ...members } = camelKeys(json)
  return { ...members, request, response: response === null ? null : camelKeys(response) }
}
