import { setTimeout as sleep } from 'node:timers/promises'
import { Api } from './accounts/api.ts'
import { linkToConsole, openAccounts } from './accounts/provision.ts'
import type { Scratch } from './scratch.ts'
import type { DemoService } from './service.ts'
import { CAST } from './story/cast.ts'
import { play } from './story/play.ts'
import { setStage } from './story/stage.ts'
import { judge } from './story/verdict.ts'
import { Watcher } from './story/watcher.ts'
import type { Printer } from './terminal/printer.ts'
import { printSummary } from './terminal/summary.ts'
import { printEnding, printInvitation } from './terminal/words.ts'
import { ONCE, READING } from './timing.ts'
import { openWorkplace, type Workplace } from './workplace.ts'

const LOOK_EVERY_MS = 250

export interface Run {
  readonly service: DemoService
  readonly once: boolean
  readonly breakSecret: string | null
  readonly printer: Printer
  readonly scratch: Scratch
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal
}

/** Starts the service, plays the story and judges it. @returns the exit code */
export async function run(params: Run): Promise<number> {
  const workplace = await openWorkplace(params.service, params.scratch, params.once ? ONCE : READING)
  try {
    return await runWith(workplace, params)
  } finally {
    await workplace.stop()
  }
}

async function runWith(workplace: Workplace, params: Run): Promise<number> {
  const { service, once, breakSecret, printer, signal } = params
  const { certificates, url, adminToken } = workplace
  const admin = new Api(url, adminToken)
  const accounts = await openAccounts(admin, url, service.catalogs)
  const stage = await setStage(accounts, certificates, breakSecret)
  try {
    const { scenes } = stage
    if (!once) printInvitation(printer, await linkToConsole(admin))
    const watcher = new Watcher(scenes, printer)
    const timing = once ? ONCE : READING
    const deadline = performance.now() + timing.endWithinMs
    const { authority } = certificates
    const verdict = judge(
      await play({ accounts, scenes, watcher, printer, timing, deadline, authority, signal }),
    )
    printSummary(printer, CAST, verdict)
    if (!once) {
      printEnding(printer, { url, adminToken, accounts, consoleLink: await linkToConsole(admin) })
      await watchUntil(signal, watcher)
      printer.say('\nStopped.')
    }
    return verdict.problems.length === 0 ? 0 : 1
  } finally {
    await stage.stop()
  }
}

async function watchUntil(signal: AbortSignal, watcher: Watcher): Promise<void> {
  while (!signal.aborted) {
    await watcher.look()
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}
