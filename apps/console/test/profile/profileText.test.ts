import { describe, expect, it } from 'vitest'
import { copyOf, NEW_PROFILE, nameIn } from '../../src/model/profile/profileText.ts'
import { nameErrors } from '../../src/pages/operator/services/form/knownErrors.ts'

const profile = { profile: 1, name: 'billing', title: 'Billing', case: 'camel' }

describe('a copy of a profile', () => {
  it('has an unused name and is otherwise unchanged', () => {
    const copy = JSON.parse(copyOf(profile, ['billing', 'billing-copy']))
    expect(copy).toEqual({ ...profile, name: 'billing-copy-2', title: 'Billing (copy)' })
  })
  it('keeps names and titles within their length limits', () => {
    const copy = JSON.parse(copyOf({ ...profile, name: 'b'.repeat(32), title: 't'.repeat(100) }, []))
    expect(copy.name).toBe(`${'b'.repeat(27)}-copy`)
    expect(copy.title).toHaveLength(100)
  })
})

it('finds the name in a profile, whatever the rest of the text', () => {
  expect(nameIn(NEW_PROFILE)).toBe('my-service')
  for (const text of ['', 'null', '[]', '{"name": 1}', '{"name":']) expect(nameIn(text)).toBeNull()
})

describe('name errors', () => {
  const text = JSON.stringify(profile)
  it('reject a new service only if another has its name', () => {
    expect(nameErrors(text, null, ['orders'])).toEqual([])
    expect(nameErrors(text, null, ['billing'])).toMatchObject([{ pointer: '/name', kind: 'error' }])
  })
  it('reject an edited service only if its name changed', () => {
    expect(nameErrors(text, 'billing', [])).toEqual([])
    expect(nameErrors(text, 'orders', [])[0]?.message).toMatch(/^must be orders/)
    expect(nameErrors('{', 'orders', [])).toEqual([])
  })
})
