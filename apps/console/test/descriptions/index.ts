import { readFileSync } from 'node:fs'
import type { ServiceDescription } from '../../src/api/serviceDescription.ts'

/**
 * A service as the server describes it. A server test compares these files with the API's answers.
 * @param name of a built-in profile
 */
export function description(name: string, overrides: Partial<ServiceDescription> = {}): ServiceDescription {
  const file = new URL(`${name}.json`, import.meta.url)
  return { ...JSON.parse(readFileSync(file, 'utf8')), ...overrides }
}
