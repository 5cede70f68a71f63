import { closeSync, openSync, writeFileSync } from 'node:fs'
import { BenchError } from './benchError.ts'

/**
 * Makes sure that a file can be written, before anything is measured for hours; what it holds stays until then.
 * @returns what replaces its content @throws BenchError when it cannot be written
 */
export function openJsonFile(file: string): (content: unknown) => void {
  try {
    closeSync(openSync(file, 'a'))
  } catch (error) {
    throw new BenchError(`--json: ${(error as Error).message}`)
  }
  return (content) => writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
}
