import { readdirSync } from 'node:fs'
import os from 'node:os'

const NICENESS = 10

/**
 * Lets a process have cores only where others leave them: load that would come from another machine must not take from the
 * service what is measured. Linux keeps this by thread; threads that a process makes afterwards have it too.
 */
export function giveWay(pid: number): void {
  for (const thread of readdirSync(`/proc/${pid}/task`)) os.setPriority(Number(thread), NICENESS)
}
