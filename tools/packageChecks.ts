import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Of npm and of the checks on one package. */
const TIMEOUT_MS = 60_000

/**
 * Checks a built package as npm would pack it: whether its files and exports match, and whether its types are
 * found and correct for ES modules, CommonJS and bundlers. TypeScript's old `node10` resolution does not
 * support exports.
 * @param directory of the package
 * @throws with the output of the checks
 */
export async function checkPackage(directory: string): Promise<void> {
  for (const [command, ...flags] of [
    ['publint', '--strict'],
    ['attw', '--pack', '--profile', 'node16', '--no-emoji', '--no-color'],
  ] as const) {
    const { stdout, stderr, failed } = await run('npx', ['--no-install', command, ...flags, directory], {
      timeout: TIMEOUT_MS,
    }).then(
      (output) => ({ ...output, failed: false }),
      (error: { readonly stdout: string; readonly stderr: string }) => ({ ...error, failed: true }),
    )
    if (failed) throw new Error(`${command}:\n${stdout}\n${stderr}`)
  }
}
