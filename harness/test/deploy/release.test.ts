import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { missingPages } from '../../src/help/served.ts'
import { Subscriber } from '../../src/subscribers/subscriber.ts'
import { freePort } from '../../src/support/freePort.ts'
import { nodeOf, npmOf, provideNode } from '../../src/support/nodeVersions.ts'
import { makeDirectory, removeDirectory } from '../../src/support/tempDirectory.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** Higher than any real version. */
const VERSION = '1000.0.0'
/** Installs and builds, and compiles SQLite. */
const TIMEOUT_MS = 1_800_000

let scratch: string
let checkout: string
let target: string

const inCheckout = (program: string, ...args: string[]) =>
  run(program, args, { cwd: checkout, maxBuffer: 64 * 1024 * 1024 })
const release = (...args: string[]) =>
  run('npx', ['--no-install', 'tsx', path.join(checkout, 'tools/release.ts'), ...args], {
    cwd: ROOT,
    maxBuffer: 64 * 1024 * 1024,
  }).then(
    ({ stdout }) => stdout,
    (error: { stderr: string }) => error.stderr,
  )

beforeAll(async () => {
  scratch = makeDirectory()
  checkout = path.join(scratch, 'checkout')
  target = path.join(checkout, 'release', VERSION)
  await run('git', ['clone', '--quiet', ROOT, checkout])
  await inCheckout('git', 'config', 'user.name', 'Releaser')
  await inCheckout('git', 'config', 'user.email', 'releaser@example.com')
}, TIMEOUT_MS)
afterAll(() => removeDirectory(scratch), TIMEOUT_MS)

test('a release that is not possible changes nothing, and says why', async () => {
  const before = (await inCheckout('git', 'rev-parse', 'HEAD')).stdout
  expect(await release('1.0')).toContain('three numbers')
  expect(await release('0.0.1')).toContain('is not above')
  const changelog = path.join(checkout, 'CHANGELOG.md')
  writeFileSync(changelog, `${readFileSync(changelog, 'utf8')}\nMore.\n`)
  expect(await release(VERSION)).toContain('commit or discard your changes first')
  await inCheckout('git', 'checkout', '--quiet', '.')
  expect((await inCheckout('git', 'rev-parse', 'HEAD')).stdout).toBe(before)
  expect((await inCheckout('git', 'status', '--porcelain')).stdout).toBe('')
})

test('a release has packages, chart, sources, contents, notes and checksums', {
  timeout: TIMEOUT_MS,
}, async () => {
  expect(await release(VERSION)).toContain(`Released ${VERSION}`)
  expect(readdirSync(target)).toEqual([
    'LICENSES.txt',
    'NOTES.md',
    'SHA256SUMS',
    `posthorn-chart-${VERSION}.tgz`,
    `posthorn-client-${VERSION}.tgz`,
    `posthorn-demo-${VERSION}.tgz`,
    `posthorn-receiver-${VERSION}.tgz`,
    `posthorn-server-${VERSION}.tgz`,
    `posthorn-source-${VERSION}.tgz`,
    'sbom.cdx.json',
  ])
  const { stdout: checked } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: target })
  expect(checked.match(/: OK$/gm)).toHaveLength(9)
  const { components } = JSON.parse(readFileSync(path.join(target, 'sbom.cdx.json'), 'utf8')) as {
    components: { name: string; version: string }[]
  }
  const names = components.map(({ name }) => name)
  for (const name of ['server', 'fastify', 'better-sqlite3', 'pg', 'react', 'vue', 'minisearch', 'rapidoc'])
    expect(names).toContain(name)
  expect(names).not.toContain('vitest')
  expect(readFileSync(path.join(target, 'LICENSES.txt'), 'utf8')).toMatch(/better-sqlite3 .*Joshua Wise/s)
  const { stdout: changelog } = await inCheckout('git', 'show', `v${VERSION}:CHANGELOG.md`)
  expect(changelog).toMatch(
    new RegExp(`^## \\[Unreleased\\]\\n\\n## \\[${VERSION}\\] - \\d{4}-\\d\\d-\\d\\d$`, 'm'),
  )
  expect((await inCheckout('git', 'log', '-1', '--format=%s %D')).stdout).toMatch(
    `Release ${VERSION} HEAD -> `,
  )
  expect((await inCheckout('git', 'status', '--porcelain')).stdout).toBe('')
  expect(await release(VERSION)).toContain('is not above')
})

test('a Node.js that is too old is reported in one line', { timeout: TIMEOUT_MS }, async () => {
  const { home } = await provideNode('20.18')
  const bin = path.join(ROOT, 'packages/server/bin/posthorn.js')
  const { stdout, stderr } = await run(path.join(home, 'bin/node'), [bin, '--help']).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  expect([stdout, stderr]).toEqual(['', 'posthorn: Node.js 20.18.0 is too old. Install 20.19 or newer.\n'])
})

test.for(['20', '22', '24'])(
  'the server installs and runs in an empty directory on Node %s',
  { timeout: TIMEOUT_MS },
  async (major) => {
    const node = await nodeOf(major)
    const [program, npm] = npmOf(node)
    const directory = path.join(scratch, `node-${major}`)
    mkdirSync(directory)
    const options = { cwd: directory, env: { ...process.env, ...node.env }, maxBuffer: 64 * 1024 * 1024 }
    const tarball = path.join(target, `posthorn-server-${VERSION}.tgz`)
    await run(program, [npm, 'init', '--yes'], options)
    await run(program, [npm, 'install', '--no-audit', '--no-fund', tarball], options)
    const port = await freePort()
    const service = await Subscriber.start({
      command: ['node_modules/.bin/posthorn', 'serve', '--port', String(port)],
      directory,
      port,
      env: node.env,
      ready: /posthorn is listening/,
    })
    try {
      expect(await missingPages(service.url)).toEqual([])
      const token = readFileSync(path.join(directory, 'data/admin-token'), 'utf8').trim()
      const status = await fetch(`${service.url}/admin/v1/status`, {
        headers: { authorization: `Bearer ${token}` },
      })
      expect(await status.json()).toMatchObject({ version: VERSION })
    } finally {
      await service.stop()
    }
  },
)
