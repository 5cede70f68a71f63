import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Runs of npm and of the checks on one package. */
const TIMEOUT_MS = 60_000

/**
 * Looks at a built package as npm would pack it: whether its files and exports fit together, and whether its types are
 * found and right for ES modules, CommonJS and bundlers. TypeScript's old `node10` resolution knows no exports.
 *
 * @param directory of the package
 * @throws with what the checks print
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
