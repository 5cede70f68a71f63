import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')

/** The tour's shell lines as a reader would paste them, on free ports and without installing again. */
async function tourScript(): Promise<string> {
  const readme = readFileSync(path.join(root, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```sh tour\n([\s\S]*?)^```/gm)].map(([, lines]) => lines!)
  const [service, receiver] = await Promise.all([freePort(), freePort()])
  return blocks
    .join('\n')
    .replace(/^.*npm ci .*$/m, '')
    .replace('posthorn serve --data-dir', `posthorn serve --port ${service} --data-dir`)
    .replaceAll('localhost:8080', `127.0.0.1:${service}`)
    .replaceAll('9000', String(receiver))
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

it('the tour of the README works when it is pasted', { timeout: 90_000 }, async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'posthorn-tour-'))
  try {
    symlinkSync(path.join(root, 'node_modules'), path.join(directory, 'node_modules'))
    writeFileSync(path.join(directory, 'tour.sh'), await tourScript())
    const { stdout } = await promisify(execFile)('bash', ['tour.sh'], { cwd: directory, timeout: 60_000 })
    expect(stdout.match(/^verified evt_\w+ version\.approved/gm)).toHaveLength(2)
    expect(stdout.match(/^verified evt_\w+ webhook\.test/gm)).toHaveLength(1)
    expect(stdout).toContain('"status":"delivered"')
    expect(stdout.match(/^verified [\da-f-]{36} campaign\.status_changed\.v1/gm)).toHaveLength(1)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
