import { ServerTime } from '../model/serverTime.ts'

const time = new ServerTime()

/** Unix ms by the service's clock. What is compared with times that the service told is compared with this. */
export const serverNow = (): number => Date.now() + time.aheadMs

/** Sends a request, and learns from the answer what time the service has. */
export async function fetchTimed(request: Request): Promise<Response> {
  const sentAt = Date.now()
  const response = await fetch(request)
  time.note({ told: response.headers.get('posthorn-time'), sentAt, receivedAt: Date.now() })
  return response
}
