import { readFileSync } from 'node:fs'
import { checkProfile } from '../../src/profiles/check.ts'
import { serviceOf } from '../../src/profiles/compile.ts'

const { profile } = checkProfile(JSON.parse(readFileSync(new URL('toy.json', import.meta.url), 'utf8')))

/** A service unlike the built-in ones wherever a profile may differ: what it needs, the engine must not know. */
export const toyDialect = serviceOf(profile!, {})
