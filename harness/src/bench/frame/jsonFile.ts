import { closeSync, openSync, writeFileSync } from 'node:fs'
import { BenchError } from './benchError.ts'

/**
 * Checks that a file can be written, before hours of measuring; its content stays until then.
 * @returns a function that replaces its content @throws BenchError when it cannot be written
 */
export function openJsonFile(file: string): (content: unknown) => void {
  try {
    closeSync(openSync(file, 'a'))
  } catch (error) {
    throw new BenchError(`--json: ${(error as Error).message}`)
  }
  return (content) => writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
}
