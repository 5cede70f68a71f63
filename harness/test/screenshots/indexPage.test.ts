import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { indexPage } from '../../src/screenshots/indexPage.ts'

const DIRECTORY = path.resolve(import.meta.dirname, '../../../docs/console')

it('has a row for each page, with its pictures', () => {
  const lines = indexPage(['home', 'audit-log'], ['light', 'narrow']).trimEnd().split('\n')
  expect(lines.slice(-4, -2)).toEqual(['| page | light | narrow |', '| --- | --- | --- |'])
  expect(lines.at(-1)).toMatch(
    /^\| audit log \| <a href="audit-log-light\.png"><img .+ \| <a .+narrow\.png.+ \|$/,
  )
})

it('shows exactly the kept pictures', () => {
  const kept = readdirSync(DIRECTORY).filter((name) => name.endsWith('.png'))
  const page = readFileSync(path.join(DIRECTORY, 'README.md'), 'utf8')
  const shown = [...page.matchAll(/<img src="([^"]+)"/g)].map(([, file]) => file)
  expect(shown.toSorted()).toEqual(kept.toSorted())
})
