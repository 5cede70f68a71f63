import { expect, it } from 'vitest'
import { camelKeys } from '../src/api/camelKeys.ts'

it('renames the members of an object, but not nested ones', () => {
  const headers = { retry_after: '5' }
  expect(camelKeys({ id: 'dlv_1', next_attempt_at: null, headers })).toEqual({
    id: 'dlv_1',
    nextAttemptAt: null,
    headers: { retry_after: '5' },
  })
})
