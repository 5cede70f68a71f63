import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Runs a program to its end. @returns its standard output @throws Error with its complete output when it
 * fails
 */
export async function command(program: string, args: readonly string[], directory: string): Promise<string> {
  try {
    const { stdout } = await run(program, args, { cwd: directory, maxBuffer: 256 * 1024 * 1024 })
    return stdout.trim()
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string }
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`)
  }
}
