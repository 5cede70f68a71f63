import { expect, test } from 'vitest'
import { withCode } from '../operations.ts'
import { sampleOf } from '../samples/index.ts'
import { call } from '../world.ts'

export function versions(): void {
  test.each(withCode('version_mismatch'))(
    '%s changes only the version that it names',
    async (id, operation) => {
      const sample = await sampleOf(operation)
      const refused = await call(id, { ...sample, headers: { 'if-match': '"v999", W/"v1"' } })
      expect([refused.status, refused.json.code]).toEqual([412, 'version_mismatch'])
      const current = refused.headers.etag!
      const { status, headers, text } = await call(id, { ...sample, headers: { 'if-match': current } })
      expect(status, text).toBeLessThan(300)
      expect(headers.etag).not.toBe(current)
    },
  )
}
