import { readdirSync } from 'node:fs'
import os from 'node:os'

const NICENESS = 10

/**
 * Gives a process the lowest CPU priority: load that would come from another machine must not slow down the
 * measured service. Linux keeps this per thread; later threads of the process inherit it.
 */
export function giveWay(pid: number): void {
  for (const thread of readdirSync(`/proc/${pid}/task`)) os.setPriority(Number(thread), NICENESS)
}
