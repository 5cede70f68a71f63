import { ServerTime } from '../model/serverTime.ts'

const time = new ServerTime()

/** Unix ms by the service's clock. Use it for comparisons with times from the service. */
export const serverNow = (): number => Date.now() + time.aheadMs

/** Sends a request, and reads the service's clock from the response. */
export async function fetchTimed(request: Request): Promise<Response> {
  const sentAt = Date.now()
  const response = await fetch(request)
  time.note({ told: response.headers.get('posthorn-time'), sentAt, receivedAt: Date.now() })
  return response
}
