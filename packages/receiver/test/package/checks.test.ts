import { test } from 'vitest'
import { checkPackage } from '../../../../tools/packageChecks.ts'

test('the package is one that npm, bundlers and TypeScript can use, as an ES module and as CommonJS', async () => {
  await checkPackage(new URL('../..', import.meta.url).pathname)
})
