import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { runPosthorn } from '../src/support/posthorn.ts'
import { useServing } from './serving.ts'

const serving = useServing()
const TOKEN = 'a-token-from-a-file-0123456789'

function write(name: string, content: string, mode = 0o600): string {
  const file = path.join(serving.directory, name)
  writeFileSync(file, content, { mode })
  return file
}

test('a service reads settings from a YAML file and secrets from separate files', async () => {
  const token = write('token', `${TOKEN}\n`)
  const file = write(
    'posthorn.yaml',
    `admin-token-file: ${token}\nmax-in-flight: 7\nnowhere-retry: [5s, 1m]\n`,
  )
  // An empty variable counts as unset.
  const service = await serving.start({ POSTHORN_CONFIG_FILE: file, POSTHORN_ADMIN_TOKEN: '' })
  const answer = await fetch(`${service.url}/admin/v1/warnings`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  })
  expect(answer.status).toBe(200)
  expect(await service.logged('setting ignored: no service has this name')).toMatchObject({
    variable: 'POSTHORN_NOWHERE_RETRY',
  })
  const listed = await runPosthorn(['workspace', 'list', '--config', file, '--public-url', service.url])
  expect([listed.code, listed.stderr]).toEqual([0, ''])
  expect(service.stdout + service.stderr).not.toContain(TOKEN)
})

test('a file with a secret that other users may read causes a warning', async () => {
  const token = write('token', TOKEN, 0o644)
  const service = await serving.start({ POSTHORN_ADMIN_TOKEN: '', POSTHORN_ADMIN_TOKEN_FILE: token })
  const { code, msg } = await service.logged('Other users of this machine have access to secrets')
  expect([code, msg]).toEqual(['setting_file_open', expect.stringContaining(`${token} (mode 0644)`)])
})

describe('mistakes', () => {
  test.each(['serve', 'config check'])('are all reported by posthorn %s, one per line', async (command) => {
    const file = write('posthorn.yaml', 'prot: 1\nlease: 1s\nadmin-token: short\n')
    const { code, stdout, stderr } = await runPosthorn(
      [...command.split(' '), '--config', file, '--port', '80800'],
      { ...serving.settings, POSTHORN_PORT: '1', POSTHORN_MASTER_KEY_FILE: '/nowhere/key' },
    )
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr.trimEnd().split('\n')).toEqual([
      `posthorn: ${file}:1:1: prot is not a setting; did you mean port?`,
      'posthorn: POSTHORN_MASTER_KEY_FILE: cannot use /nowhere/key: there is no such file',
      'posthorn: POSTHORN_PORT (--port): "80800" is not a whole number from 0 to 65535',
      `posthorn: POSTHORN_ADMIN_TOKEN (${file}:3:14): use 16 to 512 visible ASCII characters`,
      `posthorn: POSTHORN_LEASE (${file}:2:8): "1s" is shorter than 2s, the shortest lease`,
    ])
  })

  test('a missing or invalid YAML file is reported in one line', async () => {
    const missing = await runPosthorn(['config', 'check', '--config', '/nowhere/p.yaml'])
    expect([missing.code, missing.stderr]).toEqual([
      1,
      'posthorn: POSTHORN_CONFIG_FILE (--config): cannot use /nowhere/p.yaml: there is no such file\n',
    ])
    const broken = await runPosthorn(['config', 'check', '--config', write('p.yaml', 'port: "80\n')])
    expect(broken.code).toBe(1)
    expect(broken.stderr).toMatch(/^posthorn: [^\n]+p\.yaml:\d:\d+: [^\n]+\n$/)
  })
})

test('config check accepts valid settings, and creates nothing', async () => {
  const { code, stdout, stderr } = await runPosthorn(['config', 'check'], {
    ...serving.settings,
    // No name is resolved and no connection opened.
    POSTHORN_SMTP_URL: 'smtp://mail.invalid',
    POSTHORN_EMAIL_FROM: 'posthorn@example.com',
    POSTHORN_PUBLIC_URL: 'http://hooks.example.com',
  })
  expect([code, stdout]).toEqual([0, 'The settings are valid.\n'])
  expect(stderr).toBe(
    'posthorn: warning: POSTHORN_PUBLIC_URL is not an https:// URL, so others on the network can read session cookies and tokens. Use https://.\n',
  )
})

test('config show prints values and sources, but no secrets', async () => {
  const file = write('posthorn.yaml', 'database-url: postgres://mira:yaml-secret-1@db/posthorn\n')
  const secrets = {
    POSTHORN_ADMIN_TOKEN_FILE: write('token', 'file-secret-2-0123456789'),
    POSTHORN_SMTP_URL: 'smtps://mira:variable-secret-3@mail.example.com',
    POSTHORN_EMAIL_FROM: 'posthorn@example.com',
  }
  const args = ['config', 'show', '--config', file, '--egress-proxy', 'http://mira:flag-secret-4@proxy:3128']
  const { code, stdout } = await runPosthorn([...args, '--json'], secrets)
  expect(code).toBe(0)
  const { settings } = JSON.parse(stdout) as { settings: readonly { name: string }[] }
  expect(Object.fromEntries(settings.map(({ name, ...setting }) => [name, setting]))).toMatchObject({
    'database-url': { value: 'postgres://mira:********@db/posthorn', from: `${file}:1:15` },
    'admin-token': { value: '********', source: 'secret file' },
    'smtp-url': { value: 'smtps://mira:********@mail.example.com', from: 'POSTHORN_SMTP_URL' },
    'egress-proxy': { value: 'http://mira:********@proxy:3128', from: '--egress-proxy' },
    lease: { value: '30s', source: 'default', from: null },
  })
  const text = await runPosthorn(args, secrets)
  expect(text.stdout).toMatch(/^lease +30s +default$/m)
  expect(stdout + text.stdout).not.toMatch(/secret-\d/)
})
