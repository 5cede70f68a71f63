import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CheckName, checkOf } from '../../src/docs/checks.ts'
import { allBlocks, placeOf, ROOT } from '../../src/docs/pages.ts'
import { providePrometheus } from '../../src/prometheus/install.ts'
import { fromDebian } from '../../src/support/installed.ts'
import { runPosthorn } from '../../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../../src/support/tempDirectory.ts'

const run = promisify(execFile)
const [nginx, caddy] = [fromDebian('nginx'), fromDebian('caddy')]

let directory: string

beforeAll(() => {
  directory = makeDirectory()
})
afterAll(() => removeDirectory(directory))

const blocks = (check: CheckName) => allBlocks().filter((block) => checkOf(block) === check)

/** A server for a block that shows locations only. */
const aroundLocations = (text: string) =>
  /^upstream/m.test(text)
    ? text
    : `upstream posthorn { server 10.0.0.11:8080; }\nserver {\n    listen 443 ssl;\n${text}}\n`

/** As the page says for versions before 1.25.1, on sockets of the test, with a certificate of the test. */
function forTest(text: string, at: string): string {
  let sockets = 0
  return text
    .replaceAll(/^ *http2 on;\n/gm, '')
    .replaceAll(/listen \S+ ssl;/g, () => `listen unix:${at}/${sockets++}.socket ssl http2;`)
    .replaceAll(/listen [\d[][^ ;]*;/g, () => `listen unix:${at}/${sockets++}.socket;`)
    .replaceAll(/\/etc\/nginx\/tls\/\S+\.(pem|key);/g, `${at}/$1;`)
}

test('nginx accepts its configurations', async ({ skip }) => {
  const missing = await nginx.provide()
  skip(missing !== null, missing ?? '')
  const program = path.join(await nginx.home(), 'usr/sbin/nginx')
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'hooks.example.com' }])
  const configurations = blocks('nginx').map(({ text }) => aroundLocations(text))
  expect(configurations).toHaveLength(3)
  for (const [i, text] of configurations.entries()) {
    const at = path.join(directory, `nginx${i}`)
    mkdirSync(at)
    writeFileSync(path.join(at, 'pem'), cert)
    writeFileSync(path.join(at, 'key'), key)
    const common = `ssl_certificate ${at}/pem;\nssl_certificate_key ${at}/key;\naccess_log off;\n`
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${at}/${name};\n`,
    )
    const file = path.join(at, 'nginx.conf')
    const main = `pid ${at}/pid;\nerror_log stderr;\nevents {}\n`
    writeFileSync(file, `${main}http {\n${common}${temporary.join('')}${forTest(text, at)}}\n`)
    const { stderr } = await run(program, ['-t', '-c', file, '-p', at])
    expect(stderr).toContain('test is successful')
  }
})

test('Caddy accepts its configurations', async ({ skip }) => {
  const missing = await caddy.provide()
  skip(missing !== null, missing ?? '')
  const program = path.join(await caddy.home(), 'usr/bin/caddy')
  const env = { ...process.env, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory }
  const configurations = blocks('caddy')
  expect(configurations).toHaveLength(3)
  for (const { text } of configurations) {
    const file = path.join(directory, 'Caddyfile')
    writeFileSync(file, text)
    const args = ['validate', '--adapter', 'caddyfile', '--config', file]
    const { stdout, stderr } = await run(program, args, { env, cwd: directory })
    expect(`${stdout}${stderr}`).toContain('Valid configuration')
  }
})

test('the rules of the Squid example are complete', () => {
  const [block] = blocks('squid')
  const lines = block!.text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '))
  const named = lines.filter(([word]) => word === 'acl').map(([, name]) => name)
  const rules = lines.filter(([word]) => word === 'http_access').map(([, , ...names]) => names)
  expect(rules.flat().filter((name) => name !== 'all' && !named.includes(name))).toEqual([])
  expect(rules.flat()).toEqual(expect.arrayContaining(named))
  // Squid applies the first rule that fits, and allows what no rule denies.
  expect(rules.at(-1)).toEqual(['all'])
})

test('systemd accepts the lines for its unit', async ({ skip }) => {
  const there = await run('systemd-analyze', ['--version']).catch(() => null)
  skip(there === null, 'systemd-analyze is not installed')
  const units = blocks('systemd')
  expect(units.length).toBeGreaterThan(0)
  for (const { text } of units) {
    const file = path.join(directory, 'posthorn.service')
    writeFileSync(file, `${text}ExecStart=/bin/true\n`)
    const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', file])
    expect(`${stdout}${stderr}`).not.toContain('posthorn.service:')
  }
})

test('Posthorn accepts its configuration file', async () => {
  const secret = path.join(directory, 'database-url')
  writeFileSync(secret, 'postgres://posthorn@localhost/posthorn\n', { mode: 0o600 })
  const files = blocks('settings')
  expect(files.length).toBeGreaterThan(0)
  for (const block of files) {
    const file = path.join(directory, 'posthorn.yaml')
    writeFileSync(file, block.text.replace(/\/run\/secrets\/[\w-]+/, secret))
    const dataDir = path.join(directory, 'data')
    const { code, stderr } = await runPosthorn(['config', 'check', '--config', file, '--data-dir', dataDir])
    expect([placeOf(block), code, stderr]).toEqual([placeOf(block), 0, ''])
  }
})

test('Prometheus accepts its configuration', async ({ skip }) => {
  const { programs, missing } = await providePrometheus()
  skip(programs === null, missing ?? '')
  const configurations = blocks('prometheus')
  expect(configurations).toHaveLength(1)
  const rules = path.join(ROOT, 'ops/alerts.yaml')
  expect(existsSync(rules)).toBe(true)
  const file = path.join(directory, 'prometheus.yml')
  writeFileSync(file, configurations[0]!.text.replace('posthorn-alerts.yaml', rules))
  const { stdout } = await run(programs!.promtool, ['check', 'config', file])
  expect(stdout).toContain('SUCCESS')
})
