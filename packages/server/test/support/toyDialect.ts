import { readFileSync } from 'node:fs'
import { checkProfile } from '../../src/profiles/check.ts'
import { serviceOf } from '../../src/profiles/compile.ts'

const { profile } = checkProfile(JSON.parse(readFileSync(new URL('toy.json', import.meta.url), 'utf8')))

/** A service that differs from the built-in ones wherever a profile may: the engine must not depend on it. */
export const toyDialect = serviceOf(profile!, {})
