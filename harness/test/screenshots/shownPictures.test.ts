import { readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../../src/markdown/files.ts'
import { shownPictures } from '../../src/screenshots/shownPictures.ts'

test('the documentation shows exactly the pictures that are kept', () => {
  const kept = readdirSync(path.join(ROOT, 'docs/console')).filter((name) => !name.endsWith('.md'))
  expect(kept.map((name) => `docs/console/${name}`).toSorted()).toEqual(shownPictures())
})
