import { pino } from 'pino'

const STDOUT = 1
export const LOG_OPTIONS = { base: null, timestamp: pino.stdTimeFunctions.isoTime }

/**
 * Resolves at the first SIGTERM or SIGINT. A second one ends the process immediately, as users expect. @param atOnce logged
 * then
 */
export function stopSignal(atOnce: string): Promise<null> {
  return new Promise((resolve) => {
    let asked = false
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => {
        if (asked) endBy(signal, atOnce)
        asked = true
        resolve(null)
      })
  })
}

function endBy(signal: NodeJS.Signals, message: string): void {
  // The service's logger writes later, when the signal has already ended the process.
  const logger = pino(LOG_OPTIONS, pino.destination({ dest: STDOUT, sync: true }))
  logger.warn({ signal }, message)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
