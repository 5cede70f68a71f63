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
import { makeTestDatabase } from './testStore.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** The commands of a page that readers paste. */
function linesOf(page: string): string {
  const text = readFileSync(path.join(root, page), 'utf8')
  return [...text.matchAll(/^```sh tour\n([\s\S]*?)^```/gm)].map(([, lines]) => lines!).join('\n')
}

/**
 * The tour's shell lines as a reader would paste them, on free ports, without installing again. It waits
 * longer, since other tests run.
 */
function tourScript(service: number, receiver: number): string {
  return linesOf('docs/tour.md')
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

/** Pastes lines into a shell. @param programs scripts that the lines find by name */
async function paste(
  lines: string,
  programs: Readonly<Record<string, string>> = {},
): Promise<{ stdout: string; stderr: string }> {
  const directory = mkdtempSync(path.join(tmpdir(), 'posthorn-tour-'))
  try {
    symlinkSync(path.join(root, 'node_modules'), path.join(directory, 'node_modules'))
    for (const [name, text] of Object.entries(programs))
      writeFileSync(path.join(directory, name), text, { mode: 0o755 })
    writeFileSync(path.join(directory, 'tour.sh'), lines)
    return await promisify(execFile)('bash', ['tour.sh'], { cwd: directory, timeout: 100_000 })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

it('the lines of docs/tour.md work when they are pasted', { timeout: 120_000 }, async () => {
  const { stdout } = await paste(tourScript(await freePort(), await freePort()))
  expect(stdout.match(/^verified evt_\w+ invoice\.paid/gm)).toHaveLength(2)
  expect(stdout.match(/^verified evt_\w+ webhook\.test/gm)).toHaveLength(1)
  expect(stdout).toContain('"status":"delivered"')
  expect(stdout.match(/^verified [\da-f-]{36} campaign\.status_changed\.v1/gm)).toHaveLength(1)
})

it('the tour ends with a reason when another program uses its ports', { timeout: 120_000 }, async () => {
  const other = http.createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  try {
    const { stdout } = await paste(tourScript(port, await freePort()))
    expect(stdout).toMatch(
      /^The service did not start:\n(.*\n)*posthorn: POSTHORN_PORT: another program listens on /m,
    )
  } finally {
    other.closeAllConnections()
    other.close()
  }
})

/** The lines of a page, next to the service that docs/start.md starts, and the lines after them. */
async function pageScript(page: string, behind: string): Promise<string> {
  const port = await freePort()
  return `export POSTHORN_PORT=${port} POSTHORN_EGRESS_ALLOW=127.0.0.1 PATH="$PWD:$PWD/node_modules/.bin:$PATH"
posthorn serve > posthorn.log 2>&1 & service=$!
trap 'kill $service $receiver $relay $sqlite_relay; wait' EXIT
until curl -s localhost:${port}/readyz > /dev/null; do kill -0 $service || exit; sleep 0.2; done
${linesOf(page).replaceAll('localhost:8080', `localhost:${port}`)}
${behind}`
}

it.each(['README.md', 'docs/start.md'])(
  'the lines of %s lead to a verified event when they are pasted',
  {
    timeout: 120_000,
  },
  async (page) => {
    const receiver = await freePort()
    // A receiver that starts late gets the second attempt, 5 s after the first.
    const script = await pageScript(page, 'sleep 15')
    const { stdout } = await paste(script.replaceAll(/\b9000\b/g, String(receiver)))
    expect(stdout).toMatch(/^verified evt_\w+ order\.created \{ order_id: 'ord_1' \}$/m)
  },
)

/** Where these programs are not installed, only the statements are tested. */
const PSQL = `#!/usr/bin/env node
const { Client } = require('${root}/node_modules/pg')
const client = new Client({ connectionString: process.argv.at(-1) })
client.on('notice', ({ message }) => console.log('NOTICE', message))
client.connect().then(() => client.query(require('node:fs').readFileSync(0, 'utf8'))).then(() => client.end())
`
const SQLITE = `#!/usr/bin/env node
const Database = require('${root}/node_modules/better-sqlite3')
new Database(process.argv[2]).exec(require('node:fs').readFileSync(0, 'utf8'))
`

it('the lines of docs/outbox.md work when they are pasted', { timeout: 120_000 }, async () => {
  const database = await makeTestDatabase()
  try {
    const feedOf = (workspace: string, feed: string, type: string) => `
key=$(posthorn key create ${workspace} --name feed --scopes webhooks | sed -n 's/.*"key": *"\\([^"]*\\)".*/\\1/p')
for _ in $(seq 100); do
  curl -s "localhost:$POSTHORN_PORT${feed}" -H "authorization: Bearer $key" | grep -q '"${type}"' && echo "got ${type}" && break
  sleep 0.2
done`
    const script = await pageScript(
      'docs/outbox.md',
      [
        feedOf('acme-campaigns', '/api/v1/events', 'campaign.status_changed.v1'),
        feedOf('acme-shop', '/v1/workspaces/acme-shop/events', 'order.created'),
      ].join('\n'),
    )
    const lines = script
      .replace(/^export DATABASE_URL=.*$/m, `export DATABASE_URL='${database.url}'`)
      .replace('--metrics-port 9465', '--metrics-port 0')
      .replace(' & relay=', ' --metrics-port 0 & relay=')
    const { stdout, stderr } = await paste(lines, { psql: PSQL, sqlite3: SQLITE })
    expect(stdout.match(/^got .*$/gm)).toEqual(['got campaign.status_changed.v1', 'got order.created'])
    expect(stdout).toContain('No workspace is blocked: no events wait.')
    expect(stdout).not.toContain('NOTICE')
    expect(stderr).toBe('')
  } finally {
    await database.remove()
  }
})

it('the lines of docs/consumers.md work when they are pasted', { timeout: 120_000 }, async () => {
  const { stdout, stderr } = await paste(await pageScript('docs/consumers.md', ''))
  expect(stdout).toContain('{"moved":true}')
  expect(stdout).toMatch(/^data: \{.*"ord_2"/m)
  expect(stdout).toMatch(/^\{"events":\[.*"ord_1".*"ord_2".*\],.*"gap":null,"has_more":false\}$/m)
  expect(stderr).toBe('')
})
