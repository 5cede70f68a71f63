import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')

/** The tour's shell lines as a reader would paste them, on free ports, without installing again. Other tests run beside it, so it waits longer. */
function tourScript(service: number, receiver: number): string {
  const readme = readFileSync(path.join(root, 'README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```sh tour\n([\s\S]*?)^```/gm)].map(([, lines]) => lines!)
  return blocks
    .join('\n')
    .replace(/^.*npm ci .*$/m, '')
    .replace('posthorn serve --data-dir', `posthorn serve --port ${service} --data-dir`)
    .replaceAll('localhost:8080', `127.0.0.1:${service}`)
    .replaceAll('9000', String(receiver))
    .replaceAll(/^sleep (\d+)$/gm, (_, seconds) => `sleep ${2 * Number(seconds) + 1}`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Pastes the tour into a shell. */
async function runTour(service: number, receiver: number): Promise<{ stdout: string; stderr: string }> {
  const directory = mkdtempSync(path.join(tmpdir(), 'posthorn-tour-'))
  try {
    symlinkSync(path.join(root, 'node_modules'), path.join(directory, 'node_modules'))
    writeFileSync(path.join(directory, 'tour.sh'), tourScript(service, receiver))
    return await promisify(execFile)('bash', ['tour.sh'], { cwd: directory, timeout: 100_000 })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

it('the tour of the README works when it is pasted', { timeout: 120_000 }, async () => {
  const { stdout } = await runTour(await freePort(), await freePort())
  expect(stdout.match(/^verified evt_\w+ invoice\.paid/gm)).toHaveLength(2)
  expect(stdout.match(/^verified evt_\w+ webhook\.test/gm)).toHaveLength(1)
  expect(stdout).toContain('"status":"delivered"')
  expect(stdout.match(/^verified [\da-f-]{36} campaign\.status_changed\.v1/gm)).toHaveLength(1)
})

it('the tour ends and says why when another program has its ports', { timeout: 120_000 }, async () => {
  const other = http.createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  try {
    const { stdout } = await runTour(port, await freePort())
    expect(stdout).toMatch(
      /^The service did not start:\n(.*\n)*posthorn: POSTHORN_PORT: something else listens on /m,
    )
  } finally {
    other.closeAllConnections()
    other.close()
  }
})
