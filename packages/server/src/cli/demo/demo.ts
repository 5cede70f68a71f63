import { setTimeout as sleep } from 'node:timers/promises'
import { Api } from './api.ts'
import { CAST } from './cast.ts'
import { ONCE, type Pace, READING } from './pace.ts'
import { play } from './play.ts'
import { Printer } from './printer.ts'
import { openAccounts } from './provision.ts'
import { type Stage, setStage } from './stage.ts'
import { printSummary } from './summary.ts'
import { judge } from './verdict.ts'
import { Watcher } from './watcher.ts'
import { printEnding, printOpening } from './words.ts'
import { makeScratch, openWorkplace, type Scratch, type Workplace } from './workplace.ts'

export interface DemoOptions {
  /** Ends after the story, for builds. */
  readonly once?: boolean
  /** Name of a receiver that is given a wrong secret, to see that the verdict notices. */
  readonly breakSecret?: string
}

/** Whatever hangs, a build must not: a run with `once` ends by then. */
const HARD_LIMIT_MS = 58_000
const LOOK_EVERY_MS = 250
/** What shells expect of a program that Ctrl-C has ended. */
const INTERRUPTED = 130

/** Plays the demo in this terminal. @returns the exit code */
export async function demo(options: DemoOptions): Promise<number> {
  const { stdout } = process
  const printer = new Printer({
    write: (text) => stdout.write(text),
    columns: stdout.columns ?? 100,
    // Knows NO_COLOR and terminals without colors.
    colors: stdout.isTTY && stdout.hasColors(),
  })
  printOpening(printer)
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  process.once('SIGTERM', () => stop.abort())
  const scratch = makeScratch()
  const limit = options.once ? endInTime(printer, scratch) : null
  let code = 1
  try {
    code = await runDemo({ options, printer, scratch, signal: stop.signal })
  } catch (error) {
    if (stop.signal.aborted) {
      code = INTERRUPTED
      printer.say('\nStopped before the end.')
    } else printer.say(`\nThe demo came to grief: ${error instanceof Error ? error.message : String(error)}`)
  }
  clearTimeout(limit ?? undefined)
  const failed = code !== 0 && code !== INTERRUPTED
  if (failed) printer.say(`The log of the service: ${scratch.logFile}`)
  scratch.remove(failed)
  return code
}

interface Run {
  readonly options: DemoOptions
  readonly printer: Printer
  readonly scratch: Scratch
  readonly signal: AbortSignal
}

async function runDemo(run: Run): Promise<number> {
  const pace = run.options.once ? ONCE : READING
  const workplace = await openWorkplace(run.scratch, pace)
  try {
    return await withService(run, workplace, pace)
  } finally {
    await workplace.stop()
  }
}

async function withService(run: Run, workplace: Workplace, pace: Pace): Promise<number> {
  const { options, printer, signal } = run
  const { certificates, url, adminToken } = workplace
  const accounts = await openAccounts(new Api(url, adminToken), url)
  const stage: Stage = await setStage(accounts, certificates, options.breakSecret ?? null)
  try {
    const { scenes } = stage
    const watcher = new Watcher(scenes, printer)
    const { authority } = certificates
    const deadline = performance.now() + pace.endWithinMs
    const evidence = await play({ accounts, scenes, watcher, printer, pace, deadline, authority, signal })
    const verdict = judge(evidence)
    printSummary(printer, CAST, verdict)
    const code = verdict.problems.length === 0 ? 0 : 1
    if (options.once) return code
    printEnding(printer, { url, adminToken, accounts })
    await watchUntil(signal, watcher)
    printer.say('\nStopped.')
    return code
  } finally {
    await stage.stop()
  }
}

async function watchUntil(signal: AbortSignal, watcher: Watcher): Promise<void> {
  while (!signal.aborted) {
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
    if (!signal.aborted) await watcher.look()
  }
}

function endInTime(printer: Printer, scratch: Scratch): NodeJS.Timeout {
  return setTimeout(() => {
    printer.say(`\nNot done after ${HARD_LIMIT_MS / 1000} s. The log of the service: ${scratch.logFile}`)
    scratch.remove(true)
    process.exit(1)
  }, HARD_LIMIT_MS)
}
