import { createProgram } from './cli/program.ts'
import { RemoteError } from './cli/remote/client.ts'
import { SettingError } from './cli/settings.ts'
import { OutboxUnavailableError } from './outbox/source.ts'
import { StoreOpenError, StoreUnavailableError } from './storage/storage.ts'

try {
  await createProgram().parseAsync()
} catch (error) {
  process.stderr.write(`${linesOf(error)}\n`)
  process.exitCode = 1
}

/** Each mistake in the settings has a line of its own. */
function linesOf(error: unknown): string {
  const text = `posthorn: ${lineOf(error) ?? (error as Error).stack ?? error}`
  return error instanceof SettingError ? text.replaceAll('\n', '\nposthorn: ') : text
}

/** Errors that an operator can fix are one line; `null` for any other, which is shown with its stack. */
function lineOf(error: unknown): string | null {
  if (error instanceof StoreUnavailableError) return `the store is unavailable: ${error.message}`
  const isOperatorError =
    error instanceof SettingError ||
    error instanceof StoreOpenError ||
    error instanceof RemoteError ||
    error instanceof OutboxUnavailableError ||
    isListenError(error)
  return isOperatorError ? (error as Error).message : null
}

function isListenError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'listen'
}
