import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, it } from 'vitest'
import { ROOT } from '../src/docs/pages.ts'
import { linesOf, modulesOf, outputOf, type PastedPage, textsOf } from '../src/docs/pasted.ts'
import { freePort } from '../src/support/freePort.ts'
import { makeTestDatabase } from './testStore.ts'

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

/** Pastes lines into a shell. @param programs scripts that the lines find by name */
async function paste(
  lines: string,
  programs: Readonly<Record<string, string>> = {},
): Promise<{ stdout: string; stderr: string }> {
  const directory = mkdtempSync(path.join(tmpdir(), 'posthorn-tour-'))
  try {
    // What a checkout has.
    for (const name of ['node_modules', 'packages'])
      symlinkSync(path.join(ROOT, name), path.join(directory, name))
    for (const [name, text] of Object.entries(programs))
      writeFileSync(path.join(directory, name), text, { mode: 0o755 })
    writeFileSync(path.join(directory, 'tour.sh'), lines)
    return await promisify(execFile)('bash', ['tour.sh'], { cwd: directory, timeout: 280_000 })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

it('the lines of docs/tour.md work when they are pasted', async () => {
  const { stdout } = await paste(tourScript(await freePort(), await freePort()))
  expect(stdout.match(/^verified evt_\w+ invoice\.paid/gm)).toHaveLength(2)
  expect(stdout.match(/^verified evt_\w+ webhook\.test/gm)).toHaveLength(1)
  expect(stdout).toContain('"status":"delivered"')
  expect(stdout.match(/^verified [\da-f-]{36} campaign\.status_changed\.v1/gm)).toHaveLength(1)
})

it('the tour ends with a reason when another program uses its ports', async () => {
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

/** The lines of a page, next to the service that docs/start.md starts, and the lines before and after them. */
async function pageScript(page: PastedPage, behind: string, before = ''): Promise<string> {
  const port = await freePort()
  return `export POSTHORN_PORT=${port} POSTHORN_EGRESS_ALLOW=127.0.0.1 PATH="$PWD:$PWD/node_modules/.bin:$PATH"
posthorn serve > posthorn.log 2>&1 & service=$!
trap 'kill $service $receiver $relay $sqlite_relay; wait' EXIT
field_in() { node -pe "JSON.parse(require('node:fs').readFileSync(0)).$1"; }
until curl -s localhost:${port}/readyz > /dev/null; do kill -0 $service || exit; sleep 0.2; done
${before}
${linesOf(page).replaceAll('localhost:8080', `localhost:${port}`)}
${behind}`
}

it.each(['README.md', 'docs/start.md'] as const)(
  'the lines of %s lead to a verified event when they are pasted',
  async (page) => {
    const receiver = await freePort()
    // A receiver that starts late gets the second attempt, 5 s after the first.
    const script = await pageScript(page, 'sleep 15')
    const { stdout, stderr } = await paste(script.replaceAll(/\b9000\b/g, String(receiver)))
    expect(stdout).toMatch(/^verified evt_\w+ order\.created \{ order_id: 'ord_1' \}$/m)
    for (const line of page === 'docs/start.md' ? outputOf(page) : [])
      expect(`${stdout}\n${stderr}`).toMatch(line)
  },
)

/** Where these programs are not installed, only the statements are tested. */
const PSQL = `#!/usr/bin/env node
const { Client } = require('${ROOT}node_modules/pg')
const client = new Client({ connectionString: process.argv.at(-1) })
client.on('notice', ({ message }) => console.log('NOTICE', message))
client.connect().then(() => client.query(require('node:fs').readFileSync(0, 'utf8'))).then(() => client.end())
`
const SQLITE = `#!/usr/bin/env node
const Database = require('${ROOT}node_modules/better-sqlite3')
new Database(process.argv[2]).exec(require('node:fs').readFileSync(0, 'utf8'))
`

/** Runs the statements of docs/outbox.md that an operator needs at times. @returns how many */
async function statementsRun(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  // Roles are those of the whole server, which other tests use too.
  const role = `relay_${randomBytes(6).toString('hex')}`
  const statements = textsOf('docs/outbox.md', 'statements').flatMap((text) =>
    text.trim().split(/;\n?/).slice(0, -1),
  )
  await client.connect()
  try {
    await client.query(`CREATE ROLE ${role}`)
    for (const statement of statements) await client.query(statement.replace('my_relay', role))
    await client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    return statements.length
  } finally {
    await client.end()
  }
}

it('the lines of docs/outbox.md work when they are pasted', async () => {
  const database = await makeTestDatabase()
  try {
    const feedOf = (workspace: string, feed: string, type: string) => `
key=$(posthorn key create ${workspace} --name feed --scopes webhooks | field_in key)
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
    await expect(statementsRun(database.url)).resolves.toBeGreaterThan(5)
  } finally {
    await database.remove()
  }
})

it('the lines of docs/consumers.md work when they are pasted', async () => {
  const { stdout, stderr } = await paste(await pageScript('docs/consumers.md', ''))
  expect(stdout).toContain('{"moved":true}')
  expect(stdout).toMatch(/^data: \{.*"ord_2"/m)
  expect(stdout).toMatch(/^\{"events":\[.*"ord_1".*"ord_2".*\],.*"gap":null,"has_more":false\}$/m)
  expect(stderr).toBe('')
})

it('the lines and programs of docs/publish.md work', async () => {
  const { publisher, client } = modulesOf('docs/publish.md')
  const script = await pageScript(
    'docs/publish.md',
    `cat > publisher.mjs << 'END'
${publisher}END
cat > published.mjs << 'END'
import { publish } from './publisher.mjs'
const { PORT, KEY } = process.env
const event = { type: 'order.paid', data: { order_id: 'ord_1' } }
console.log('published', await publish(event, { url: 'http://localhost:' + PORT, workspace: 'acme-orders', key: KEY }))
END
PORT=$POSTHORN_PORT KEY=$key node published.mjs
posthorn publish --workspace acme-orders --key "$key" --type order.paid --data '{"order_id": "ord_1002"}' --id evt_order-1002-paid
posthorn workspace create --profile content --slug acme-stories --name 'Acme Stories' > /dev/null
export POSTHORN_KEY=$(posthorn key create acme-stories --name client --scopes events:write,webhooks | field_in key)
cat > client.mjs << 'END'
${client}END
sed "s/8080/$POSTHORN_PORT/" client.mjs > typed.mjs && node typed.mjs
curl -s localhost:$POSTHORN_PORT/v1/workspaces/acme-stories/events -H "authorization: Bearer $POSTHORN_KEY"`,
  )
  const { stdout, stderr } = await paste(script)
  expect(stdout).toContain('{"id":"evt_order-1001-paid","repeated":false}')
  expect(stdout.match(/"repeated":false/g)).toHaveLength(3)
  expect(stdout).toMatch(/^Published 2 events\.$/m)
  expect(stdout).toMatch(/^published \{ id: 'evt_[\w-]+', repeated: false \}$/m)
  expect(stdout.match(/"id": "evt_order-1002-paid",\n *"repeated": (false|true)/g)).toEqual([
    expect.stringContaining('false'),
    expect.stringContaining('true'),
  ])
  expect(stdout).toContain('"type":"schedule.cancel_required"')
  expect(stderr).toBe('')
})

it('the lines of docs/profiles.md work when they are pasted', async () => {
  const [fileOfPage] = textsOf('docs/profiles.md', 'pasted')
  const behind = `${fileOfPage}
sed -i 's/"10s"/"10m"/' billing.json; posthorn service check billing.json 2>&1 || true`
  const { stdout, stderr } = await paste(await pageScript('docs/profiles.md', behind))
  expect(stdout).toMatch(/no errors \(service billing\)/)
  expect(stdout).toContain('Added the service billing')
  expect(stdout).toContain('Added the service stripe')
  for (const line of outputOf('docs/profiles.md')) expect(stdout).toMatch(line)
  expect(stderr).toBe('')
})

it('the line of docs/receiving.md sends a test event', async () => {
  const receiver = http.createServer((_, response) => response.writeHead(204).end()).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  const before = `posthorn workspace create --profile standard --slug acme --name Acme > /dev/null
key=$(posthorn key create acme --name receiving --scopes webhooks | field_in key)
webhook=$(curl -s localhost:$POSTHORN_PORT/v1/workspaces/acme/webhooks -H "authorization: Bearer $key" \
  -H 'content-type: application/json' -d '{"url": "http://127.0.0.1:${port}/hook"}' | field_in id)`
  const behind = `for _ in $(seq 100); do
  curl -s "localhost:$POSTHORN_PORT/v1/workspaces/acme/webhooks/$webhook/deliveries" -H "authorization: Bearer $key" |
    grep '"status":"delivered"' && break
  sleep 0.2
done`
  try {
    const { stdout, stderr } = await paste(await pageScript('docs/receiving.md', behind, before))
    expect(stdout).toContain('"status":"delivered"')
    expect(stderr).toBe('')
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
})

it('the function of docs/operations/operational-webhooks.md verifies signatures', async () => {
  const { verify } = modulesOf('docs/operations/operational-webhooks.md')
  const judge = `import { Webhook } from 'standardwebhooks'
import { isGenuine } from './verify.ts'
const secret = 'whsec_' + Buffer.from('0123456789abcdef01234567').toString('base64')
const body = '{"type":"webhook.failing"}'
const headersAt = (time: Date) => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
  'webhook-signature': 'v1,AAAA ' + new Webhook(secret).sign('evt_1', time, body),
})
const headers = headersAt(new Date())
console.log(isGenuine(headers, body, secret), isGenuine(headers, body + ' ', secret), isGenuine(headersAt(new Date(0)), body, secret))
`
  const programs = { 'verify.ts': verify, 'judge.ts': judge, 'package.json': '{"type": "module"}' }
  const { stdout } = await paste('node --import tsx judge.ts', programs)
  expect(stdout).toBe('true false false\n')
})
