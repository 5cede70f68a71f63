import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findChromium, provideChromium } from '../../src/browser/chromium.ts'
import { makeDirectory, removeDirectory } from '../../src/support/tempDirectory.ts'

function directoryWith(...programs: string[]): string {
  const directory = makeDirectory()
  onTestFinished(() => removeDirectory(directory))
  for (const name of programs) {
    writeFileSync(path.join(directory, name), '')
    chmodSync(path.join(directory, name), 0o755)
  }
  return directory
}

test('a browser on the PATH is found under each of its names', () => {
  const directory = directoryWith('chromium-browser')
  expect(findChromium({ PATH: `/nowhere:${directory}` })).toBe(path.join(directory, 'chromium-browser'))
  expect(findChromium({ PATH: '/nowhere' })).toBeNull()
})

test('the variable names the browser, and no other is tried', () => {
  const directory = directoryWith('mine', 'chromium')
  const named = path.join(directory, 'mine')
  expect(findChromium({ PATH: directory, POSTHORN_TEST_CHROMIUM: named })).toBe(named)
  expect(() => findChromium({ PATH: directory, POSTHORN_TEST_CHROMIUM: '/nowhere/x' })).toThrow(
    'POSTHORN_TEST_CHROMIUM: no such file: /nowhere/x',
  )
})

test('a missing browser is installed once, and a failure says what to do', () => {
  let installed = 0
  const found = provideChromium(
    () => (installed === 0 ? null : '/usr/bin/chromium'),
    () => void installed++,
  )
  expect([found, installed]).toEqual(['/usr/bin/chromium', 1])
  expect(() =>
    provideChromium(
      () => null,
      () => {},
    ),
  ).toThrow('Chromium is needed: install it, or name')
  expect(() => provideChromium(() => null, null)).toThrow('POSTHORN_TEST_CHROMIUM')
})
