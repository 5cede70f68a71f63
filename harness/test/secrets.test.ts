import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { Collector } from '../src/otlp/collector.ts'
import { ScriptedReceiver } from '../src/receivers/scriptedReceiver.ts'
import { ForwardProxy } from '../src/support/forwardProxy.ts'
import { Api } from '../src/support/http.ts'
import { runPosthorn, type Settings } from '../src/support/posthorn.ts'
import { eventually } from '../src/support/waiting.ts'
import { KEYS, PASSWORDS, Secrets, useEverySecret } from './secretsMade.ts'
import { useServing } from './serving.ts'
import { unpackBundle } from './supportBundle.ts'

const serving = useServing()
/** Files of the data directory that contain a secret, readable only by the operator. */
const KEY_FILES = ['admin-token', 'master-key']

const READ = {
  admin: [
    ...[
      'workspaces',
      'services',
      'operators',
      'audit-log',
      'status',
      'overview',
      'stats',
      'failing-webhooks',
    ],
    ...[
      'workspace-stats',
      'nodes',
      'master-keys',
      'warnings',
      'outages',
      'operational-webhook',
      'admin-tokens',
    ],
  ].map((name) => `/admin/v1/${name}`),
  open: [
    ...[
      '/',
      '/docs',
      '/metrics',
      '/openapi/content.json',
      '/openapi/admin.json',
      '/openapi/console.json',
      '/asyncapi.json',
    ],
    ...['/readyz', '/healthz', '/receive/content/node.md', '/.well-known/webhook-keys/none'],
  ],
}

/** The service's answers of everything that can be read. */
async function readAll(url: string, owners: ReadonlyMap<string, string>): Promise<Map<string, string>> {
  const api = new Api(() => url)
  const answers = new Map<string, string>()
  const read = async <T>(place: string, token: string = KEYS.admin): Promise<T> => {
    const answer = await api.get<T>(place, { token })
    answers.set(place, JSON.stringify(answer))
    return answer
  }
  for (const place of READ.open) answers.set(place, await (await fetch(url + place)).text())
  for (const place of READ.admin) await read(place)
  for (const [id, owner] of owners) {
    for (const name of ['members', 'keys']) await read(`/admin/v1/workspaces/${id}/${name}`)
    for (const name of ['webhooks', 'events', 'consumers', 'operational-webhook', 'audit-log'])
      await read(`/v1/workspaces/${id}/${name}`, owner)
    const { data } = await read<{ data: { id: string; webhook_id: string }[] }>(
      `/v1/workspaces/${id}/deliveries`,
      owner,
    )
    for (const { id: delivery, webhook_id: webhook } of data)
      await read(`/v1/workspaces/${id}/webhooks/${webhook}/deliveries/${delivery}`, owner)
  }
  return answers
}

const filesOf = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !KEY_FILES.includes(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))

/** The bundle and the output of `posthorn support`. */
async function supportBundle(log: string, settings: Settings): Promise<ReadonlyMap<string, string>> {
  const [logFile, out] = [path.join(serving.directory, 'log'), path.join(serving.directory, 'support.tar.gz')]
  writeFileSync(logFile, log)
  const { stdout, stderr } = await runPosthorn(['support', '--log-file', logFile, '--out', out], settings)
  const files = unpackBundle(out)
  for (const file of [logFile, out]) rmSync(file)
  return new Map([...files, ['its output', stdout + stderr]])
}

test('no secret is in a log, a metric, an answer, a command, a support bundle, the list of processes or the store', async () => {
  const receiver = await ScriptedReceiver.start()
  const proxy = await ForwardProxy.start()
  const collector = await Collector.start()
  try {
    const secrets = new Secrets()
    const settings = {
      POSTHORN_ADMIN_TOKEN: KEYS.admin,
      POSTHORN_MASTER_KEY: KEYS.master,
      POSTHORN_LOG_LEVEL: 'debug',
      POSTHORN_EGRESS_PROXY: proxy.url.replace('//', `//mira:${PASSWORDS.proxy}@`),
      POSTHORN_SMTP_URL: `smtp://mira:${PASSWORDS.smtp}@127.0.0.1:9`,
      POSTHORN_EMAIL_FROM: 'Posthorn <posthorn@example.com>',
      POSTHORN_OTLP_ENDPOINT: collector.url,
      POSTHORN_OTLP_HEADERS: `Authorization=Bearer%20${PASSWORDS.collector}`,
      POSTHORN_TRACE_SAMPLING: '1',
      POSTHORN_PUBLIC_URL: 'http://127.0.0.1:9',
      POSTHORN_OIDC_ISSUER: 'http://127.0.0.1:9',
      POSTHORN_OIDC_CLIENT_ID: 'posthorn',
      POSTHORN_OIDC_CLIENT_SECRET: PASSWORDS.oidcClient,
    }
    const service = await serving.start(settings)
    const owners = await useEverySecret(service.url, receiver, secrets)
    await eventually(() => (service.stdout.match(/attempt ended/g)?.length ?? 0) >= 6 || null, {
      withinMs: 30_000,
      what: 'attempts of all webhooks',
    })
    const outputs = await readAll(service.url, owners)
    const of = { ...serving.settings, ...settings, POSTHORN_PUBLIC_URL: service.url }
    for (const args of [
      ['status'],
      ['status', '--json'],
      ['config', 'show'],
      ['config', 'show', '--json'],
      ['config', 'check'],
      ['workspace', 'list'],
      ['serve', '--help'],
    ]) {
      const { stdout, stderr } = await runPosthorn(args, of)
      outputs.set(`posthorn ${args.join(' ')}`, stdout + stderr)
    }
    for (const [name, text] of await supportBundle(service.stdout, of)) outputs.set(`bundle: ${name}`, text)
    outputs.set('list of processes', readFileSync(`/proc/${service.pid}/cmdline`, 'latin1'))
    await service.stop()
    outputs.set('log', service.stdout)
    outputs.set('stderr', service.stderr)
    for (const signal of ['traces', 'metrics'] as const)
      outputs.set(
        signal,
        collector
          .of(signal)
          .map(({ body }) => body.toString('latin1'))
          .join('\n'),
      )
    for (const file of filesOf(serving.directory)) outputs.set(file, readFileSync(file, 'latin1'))

    expect(secrets.in(`x=${encodeURIComponent(KEYS.master)}`)).toEqual(['master'])
    expect(outputs.get('log')).toContain('attempt ended')
    for (const place of ['/metrics', 'metrics']) expect(outputs.get(place)).toContain('posthorn_')
    expect(outputs.get('traces')).toContain('attempt')
    for (const name of ['status.json', 'metrics.txt', 'master-keys.json', 'settings.txt', 'log.txt'])
      expect(outputs.get(`bundle: ${name}`)?.length ?? 0).toBeGreaterThan(100)
    expect(outputs.get('bundle: README.txt')).not.toContain('look like credentials')
    expect(secrets.values.length).toBeGreaterThan(30)
    const found = [...outputs].flatMap(([output, text]) =>
      secrets.in(text).map((name) => `${name} is in ${output}`),
    )
    expect(found).toEqual([])
  } finally {
    proxy.stop()
    await collector.stop()
    await receiver.stop()
  }
})
