import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

const KIB = 1024
const directory = new URL('../..', import.meta.url).pathname

/** The compressed size of a bundle that imports from the built package. */
async function shippedBytes(code: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: directory },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  })
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
}

test('the core has less than 4 KiB, gzipped', async () => {
  const bytes = await shippedBytes(
    "import { createReceiver } from '@posthorn/receiver'; globalThis.receiver = createReceiver",
  )
  expect(bytes).toBeGreaterThan(2 * KIB)
  expect(bytes).toBeLessThan(4 * KIB)
})

test('unused code is left out', async () => {
  const errors =
    "import { WebhookVerificationError } from '@posthorn/receiver'; globalThis.used = WebhookVerificationError"
  expect(await shippedBytes(errors)).toBeLessThan(KIB / 2)
  expect(await shippedBytes("import '@posthorn/receiver'; import '@posthorn/receiver/profile'")).toBeLessThan(
    64,
  )
})
