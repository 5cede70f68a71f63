import { expect, test } from 'vitest'
import { STANDARD } from '../../src/profile/builtIn.ts'
import { readProfile } from '../../src/profile/read.ts'
import { profileFile } from '../signingService.ts'

test('the built-in scheme equals the profile standard', () => {
  expect(readProfile(profileFile('standard'))).toEqual(STANDARD)
})

test('requests of the profile content look like those of standard', () => {
  const { envelope, ...requests } = readProfile(profileFile('content'))
  const { envelope: _, ...standard } = STANDARD
  expect(requests).toEqual(standard)
  expect(envelope).not.toEqual(STANDARD.envelope)
})

test('defaults of a profile are those of standard', () => {
  expect(readProfile({ profile: 1 })).toEqual(STANDARD)
  expect(readProfile({ profile: 1, secret: { bytes: 48 } })).toEqual(STANDARD)
})
