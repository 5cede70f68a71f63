import { expect, test } from 'vitest'
import { migrations } from '../../src/storage/migrations/index.ts'

test('migrations are numbered from one without a gap', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, i) => i + 1))
})

test('programs of the previous version keep working next to each migration, or it says why they cannot', () => {
  for (const { version, name, worksFrom, whyBreaking } of migrations) {
    const goesOnBefore = worksFrom < version
    expect({ name, goesOnBefore }).toEqual({ name, goesOnBefore: whyBreaking === null })
    expect(whyBreaking).not.toBe('')
  }
})

test('each migration changes a store', () => {
  for (const { name, sqlite, postgres } of migrations)
    expect({ name, sql: (sqlite + postgres).trim() }).not.toEqual({ name, sql: '' })
})
