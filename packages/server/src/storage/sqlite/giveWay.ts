import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** For a thread that should get a tenth of a core while others need it. At 19, it would starve on a busy machine. */
const NICE = 10

/** Lowers the priority of this thread below all others. Only Linux has priorities of threads; elsewhere this has no effect. */
export function giveWay(): void {
  try {
    // Such as `4711/task/4713`. In a container these may be the host's numbers, which are not ours.
    const [processId, , threadId] = readlinkSync('/proc/thread-self').split('/')
    if (Number(processId) === process.pid && threadId !== undefined) setPriority(Number(threadId), NICE)
  } catch {
    // It then runs at normal priority.
  }
}
