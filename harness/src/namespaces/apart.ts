import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { killAtExit } from '../support/children.ts'
import type { CutOptions } from './cutOff.ts'
import { APART } from './ipProgram.ts'
import type { CutResult } from './judge.ts'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
/** The loopback interface of a new namespace is down. */
const BEGIN = 'ip link set lo up && exec "$@"'

/**
 * Runs the cut in its own network namespace. Changing networks of the machine itself would disturb others:
 * Chromium aborts loading whenever an address is added.
 * @throws Error when it has no result
 */
export async function runCutApart(options: CutOptions): Promise<CutResult> {
  const [unshare, ...flags] = APART
  const program = [process.execPath, '--import', 'tsx', MAIN, JSON.stringify(options)]
  const child = killAtExit(
    spawn(unshare, [...flags, 'sh', '-c', BEGIN, 'sh', ...program], { stdio: ['ignore', 'pipe', 'inherit'] }),
  )
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (code !== 0) throw new Error(`the program that cuts a node off ended with ${code}`)
  return JSON.parse(output) as CutResult
}
