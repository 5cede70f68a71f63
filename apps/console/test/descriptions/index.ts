import { readFileSync } from 'node:fs'
import type { ServiceDescription } from '../../src/api/serviceDescription.ts'

/**
 * A service as the server describes it; a test of the server compares the files with what it answers.
 * @param name of a profile that is shipped
 */
export function description(name: string, overrides: Partial<ServiceDescription> = {}): ServiceDescription {
  const file = new URL(`${name}.json`, import.meta.url)
  return { ...JSON.parse(readFileSync(file, 'utf8')), ...overrides }
}
