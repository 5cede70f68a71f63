import { eventually } from '../../src/support/waiting.ts'
import type { Received } from './receiver.ts'
import { receiver } from './world.ts'

/** Waits until exactly `count` requests have arrived at a path. @returns them */
export async function receivedAt(path: string, count: number): Promise<readonly Received[]> {
  const found = await eventually(
    () => {
      const requests = receiver().received(path)
      return requests.length >= count ? requests : null
    },
    { withinMs: 10_000, what: `${count} requests to ${path}` },
  )
  if (found.length > count) throw new Error(`${found.length} requests came to ${path} in place of ${count}`)
  return found
}
