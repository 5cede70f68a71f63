import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/cli/settings.ts'

describe('the URL of the database', () => {
  test('is refused when it is empty: that would serve a fresh embedded store', () => {
    expect(() => parseConfig({ databaseUrl: '' })).toThrow(
      'POSTHORN_DATABASE_URL: is empty; unset it to use the embedded store',
    )
    expect(parseConfig({}).databaseUrl).toBeNull()
  })

  test.each(['postgres://posthorn:secret@db', 'postgres://posthorn:secret@db:5432,other/?sslmode=require'])(
    'is refused when it names no database: %s',
    (databaseUrl) => {
      expect(() => parseConfig({ databaseUrl })).toThrow(/^POSTHORN_DATABASE_URL: names no database; [^\n]+$/)
      expect(() => parseConfig({ databaseUrl })).not.toThrow(/secret|db:/)
    },
  )
})
