import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Of a thread that is to take a tenth of a core while others need it. At 19, a machine that is busy all the time lets it starve. */
const NICE = 10

/** Lets all other threads go before this one while cores are few. Linux alone knows priorities of threads; elsewhere it does nothing. */
export function giveWay(): void {
  try {
    // Such as `4711/task/4713`. In a container it may be the host's numbers that stand there, which are not ours.
    const [processId, , threadId] = readlinkSync('/proc/thread-self').split('/')
    if (Number(processId) === process.pid && threadId !== undefined) setPriority(Number(threadId), NICE)
  } catch {
    // It is served as the others are.
  }
}
