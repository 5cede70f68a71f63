import type { Command } from 'commander'
import { SECOND_MS } from '../../core/duration.ts'
import type { StatusJson } from '../../http/admin/status/schema.ts'
import { configOf, withSettings } from '../flags.ts'
import { ADMIN_SETTINGS, type Config, SettingError } from '../settings.ts'
import { MEANINGS, print } from './byAdmin.ts'
import { adminServiceUrl, adminTokenOf, call, RemoteError } from './client.ts'
import { statusScreen } from './statusScreen.ts'

/** The service itself waits for its store for 2 seconds. */
const ANSWER_WITHIN_MS = 10 * SECOND_MS
const EXIT = { well: 0, somethingToDo: 1, cannotAsk: 2 } as const

/** Adds `posthorn status`, whose exit code is for monitoring. */
export function addStatusCommand(program: Command): void {
  const status = program
    .command('status')
    .description('Show the state of a running service, and what to do')
    .option('--json', 'print the response of GET /admin/v1/status')
    .addHelpText(
      'after',
      '\nExit code: 0 all is well, 1 there is something to do, 2 the service does not answer',
    )
  withSettings(status, ADMIN_SETTINGS, MEANINGS).action(async ({ json }: { json?: true }) => {
    try {
      const answer = await readStatus(await configOf(status.opts(), ADMIN_SETTINGS))
      if (json) print(answer)
      else process.stdout.write(statusScreen(answer))
      process.exitCode = answer.to_do.length === 0 ? EXIT.well : EXIT.somethingToDo
    } catch (error) {
      if (!(error instanceof RemoteError || error instanceof SettingError)) throw error
      process.stderr.write(`posthorn: ${error.message}\n`)
      process.exitCode = EXIT.cannotAsk
    }
  })
}

/** @throws RemoteError when the service does not answer; SettingError without an admin token */
async function readStatus(config: Config): Promise<StatusJson> {
  const bearer = adminTokenOf(config)
  const url = adminServiceUrl(config)
  const answer = await call({
    url,
    method: 'GET',
    path: '/admin/v1/status',
    bearer,
    withinMs: ANSWER_WITHIN_MS,
  })
  if (!Array.isArray((answer as Partial<StatusJson> | null)?.to_do))
    throw new RemoteError(`the response is not from Posthorn; check the address ${url}`)
  return answer as StatusJson
}
