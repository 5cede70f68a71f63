import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EmptyProject, program, runProgram } from './emptyProject.ts'

/** Npm packages that contain a runtime. */
const RUNTIMES = [
  { name: 'Node 22', install: 'node@22', binary: 'node', flags: [] },
  { name: 'Node 24', install: 'node@24', binary: 'node', flags: [] },
  { name: 'Bun', install: 'bun', binary: 'bun', flags: [] },
  { name: 'Deno', install: 'deno', binary: 'deno', flags: ['run', '--allow-all', '--no-remote'] },
]
const CACHE = new URL('../../../../node_modules/.cache/receiver-runtimes/', import.meta.url).pathname
const HANDLED = 'invoice.paid invoice.paid invoice.paid'

const project = new EmptyProject()
beforeAll(async () => {
  await project.install()
  project.write('module.mjs', program('import'))
  project.write('common.cjs', program('require'))
})
afterAll(() => project.remove())

/** @returns the runtime's program, installed into the cache on first use */
async function provide(install: string, binary: string): Promise<string> {
  const directory = path.join(CACHE, install)
  const found = path.join(directory, 'node_modules/.bin', binary)
  if (existsSync(found)) return found
  mkdirSync(directory, { recursive: true })
  writeFileSync(path.join(directory, 'package.json'), '{"private": true}')
  await runProgram('npm', ['install', '--no-audit', '--no-fund', '--no-save', install], directory)
  return found
}

describe.each(RUNTIMES)('in $name', ({ install, binary, flags }) => {
  test('the packed package works as an ES module and as CommonJS', async () => {
    const runtime = await provide(install, binary)
    for (const file of ['module.mjs', 'common.cjs'])
      expect(await project.run(runtime, [...flags, file])).toBe(HANDLED)
  })
})
