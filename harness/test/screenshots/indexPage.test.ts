import { expect, test } from 'vitest'
import { indexPage } from '../../src/screenshots/indexPage.ts'

test('the list of pictures has a row for each page', () => {
  const lines = indexPage(['home', 'audit-log'], ['light', 'narrow']).trimEnd().split('\n')
  expect(lines.slice(-4, -2)).toEqual(['| page | light | narrow |', '| --- | --- | --- |'])
  expect(lines.at(-1)).toMatch(
    /^\| audit log \| <a href="audit-log-light\.webp"><img .+ \| <a .+narrow\.webp.+ \|$/,
  )
})
