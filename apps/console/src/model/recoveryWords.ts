import { countText, deliveriesText } from './numbers.ts'
import type { Recovery } from './service.ts'

/** Progress or result of a recovery. */
export function recoveryText({ status, total, done, delivered, failed }: Recovery): string {
  const arrived = `${countText(delivered)} delivered`
  const counts = failed === 0 ? arrived : `${arrived}, ${countText(failed)} failed again`
  if (status === 'running') return `Recovering ${deliveriesText(total)}: ${counts} so far.`
  if (status === 'canceled')
    return `Recovery canceled after ${deliveriesText(done)}. Deliveries that are already pending are still sent.`
  return failed === 0
    ? `Recovered ${deliveriesText(total)}: ${counts}.`
    : `Sent ${deliveriesText(total)} again: ${counts}.`
}

/** Green only if everything was delivered. */
export function recoveryColor({ status, delivered, failed }: Recovery): 'horn' | 'green' | 'yellow' | 'red' {
  if (status !== 'done') return 'horn'
  if (failed === 0) return 'green'
  return delivered === 0 ? 'red' : 'yellow'
}
