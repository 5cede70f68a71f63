import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ADMIN_TOKEN, type PosthornProcess, runPosthorn, startService } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { makeTestStore, type TestStore } from './testStore.ts'

const ENTITY = '0196f2a0-0000-7000-8000-000000000001'

let directory: string
let store: TestStore
let service: PosthornProcess

beforeAll(async () => {
  directory = makeDirectory()
  store = await makeTestStore()
  service = await startService({ dataDir: path.join(directory, 'data'), settings: store.settings })
})

afterAll(async () => {
  await service.kill()
  await store.remove()
  removeDirectory(directory)
})

const run = (...args: string[]) =>
  runPosthorn(args, { POSTHORN_PUBLIC_URL: service.url, POSTHORN_ADMIN_TOKEN: ADMIN_TOKEN })

async function answerOf(...args: string[]) {
  const { code, stdout, stderr } = await run(...args)
  expect(stderr).toBe('')
  expect(code).toBe(0)
  return JSON.parse(stdout)
}

it('workspace, key and publish work on a running service, for both services', async () => {
  const content = await answerOf(
    'workspace',
    'create',
    '--profile',
    'content',
    '--slug',
    'acme',
    '--name',
    'Acme',
  )
  expect(content).toMatchObject({ slug: 'acme', dialect: 'content' })
  const { key } = await answerOf('key', 'create', 'acme', '--name', 'cli', '--scopes', 'events:write')
  const cancel = ['--type', 'schedule.cancel_required', '--data', '{"subject_id":"sch_1"}']
  const event = await answerOf('publish', '--key', key, '--workspace', 'acme', '--actor', 'usr_1', ...cancel)
  expect(event).toEqual({ id: expect.stringMatching(/^evt_/), repeated: false })

  await answerOf('workspace', 'create', '--profile', 'ads', '--slug', 'ads', '--name', 'Ads')
  const ads = await answerOf('key', 'create', 'ads', '--name', 'cli', '--scopes', 'webhooks', 'events:write')
  const change = ['--type', 'campaign.status_changed.v1', '--data', '{"from":"active","to":"paused"}']
  const publish = ['publish', '--key', ads.key, '--entity', `campaign:${ENTITY}`, '--id', ENTITY, ...change]
  expect(await answerOf(...publish)).toEqual({ id: ENTITY, repeated: false })
  expect(await answerOf(...publish)).toEqual({ id: ENTITY, repeated: true })

  const { data } = await answerOf('key', 'list', 'acme')
  expect(data).toHaveLength(1)
  expect(await run('key', 'revoke', 'acme', data[0].id)).toMatchObject({
    code: 0,
    stdout: `Revoked the key ${data[0].id} of the workspace acme.\n`,
  })
  const refused = await run('publish', '--key', key, '--workspace', 'acme', ...cancel)
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^posthorn: 401: .*revoked/),
  })
})

it('consumer creates, moves and deletes a consumer, and prints all its events', async () => {
  await answerOf('workspace', 'create', '--profile', 'content', '--slug', 'pull', '--name', 'Pull')
  const scopes = ['--scopes', 'webhooks,generations:read,events:write']
  const { key } = await answerOf('key', 'create', 'pull', '--name', 'cli', ...scopes)
  const of = ['--key', key, '--workspace', 'pull']
  const type = 'schedule.cancel_required'
  const made = await answerOf('consumer', 'create', 'crm', ...of, '--start', 'oldest', '--types', type)
  expect(made).toMatchObject({ name: 'crm', event_types: [type] })
  const ids: string[] = []
  for (const subject of ['sch_1', 'sch_2']) {
    const data = JSON.stringify({ subject_id: subject })
    ids.push((await answerOf('publish', ...of, '--type', type, '--data', data)).id)
  }
  const read = async (...more: string[]) => {
    const { code, stdout, stderr } = await run('consumer', 'read', 'crm', ...of, ...more)
    expect([code, stderr]).toEqual([0, ''])
    const lines = stdout.split('\n').filter((line) => line !== '')
    return lines.map((line) => JSON.parse(line).id)
  }
  expect(await read('--no-ack')).toEqual(ids)
  expect(await read('--once')).toEqual(ids)
  expect(await read('--once')).toEqual([])
  expect(await answerOf('consumer', 'get', 'crm', ...of)).toMatchObject({ lag: { events: 0 } })
  expect(await runPosthorn(['consumer', 'seek', 'crm', ...of])).toMatchObject({
    code: 1,
    stderr: 'posthorn: consumer seek: give the position with --start, --after or --since\n',
  })
  await answerOf('consumer', 'seek', 'crm', ...of, '--after', ids[0]!)
  expect(await read('--once')).toEqual(ids.slice(1))
  expect((await answerOf('consumer', 'list', ...of)).data).toMatchObject([{ name: 'crm' }])
  const deleted = await run('consumer', 'delete', 'crm', ...of)
  expect(deleted).toMatchObject({ code: 0, stdout: 'Deleted the consumer crm.\n' })
  const refused = await run('consumer', 'read', 'crm', ...of)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^posthorn: 404: /) })
})

it('publish accepts the members that the profile of a service names', async () => {
  const file = path.join(directory, 'yard.json')
  const event = { data: 'brick', members: { color: { schema: { type: 'string' }, required: true } } }
  const envelope = {
    members: [
      { path: 'color', field: 'color' },
      { path: 'brick', field: 'data' },
    ],
  }
  const profile = { profile: 1, name: 'yard', title: 'Yard', paths: 'flat', event, envelope }
  // Some editors add a byte order mark.
  writeFileSync(file, `\ufeff${JSON.stringify(profile)}`)
  expect(await run('service', 'add', file)).toMatchObject({ code: 0 })
  await answerOf('workspace', 'create', '--profile', 'yard', '--slug', 'yard', '--name', 'Yard')
  const { key } = await answerOf('key', 'create', 'yard', '--name', 'cli', '--scopes', 'events:write')
  const flags = ['--type', 'brick.stacked', '--data', '{}', '--data-member', 'brick']
  const published = await answerOf('publish', '--key', key, '--flat', '--member', 'color=red', ...flags)
  expect(published).toEqual({ id: expect.any(String), repeated: false })
  const refused = await run('publish', '--key', key, '--flat', '--member', 'color=7', ...flags)
  expect(refused.stderr).toMatch(/^posthorn: 422: [^\n]*\n {2}\/color [^\n]+\n$/)
})

it.each([[['webhooks,events:write']], [['webhooks,', 'events:write']]])(
  'scopes are accepted with commas: %j',
  async (words) => {
    const slug = `commas-${words.length}`
    await answerOf('workspace', 'create', '--profile', 'ads', '--slug', slug, '--name', 'Commas')
    const made = await answerOf('key', 'create', slug, '--name', 'cli', '--scopes', ...words)
    expect(made.scopes).toEqual(['webhooks', 'events:write'])
  },
)

it('a workspace after the scopes is recognized, and the error says where it belongs', async () => {
  const { code, stderr } = await run('key', 'create', '--name', 'cli', '--scopes', 'webhooks', 'acme')
  expect(code).toBe(1)
  expect(stderr).toMatch(/missing required argument 'workspace'\nGive the workspace first, such as: posthorn/)
})

it('a missing option gets no hint about workspaces', async () => {
  const { code, stderr } = await run('key', 'create', 'acme', '--name', 'cli')
  expect(code).toBe(1)
  expect(stderr).toMatch(/required option '--scopes <scopes\.\.\.>' not specified/)
  expect(stderr).not.toContain('Name the workspace first')
})

it('the help of commands on a running service describes that service', async () => {
  const { code, stdout } = await run('key', 'create', '--help')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Usage: posthorn key create <workspace> \[options\]\n/)
  expect(stdout).toContain('--scopes webhooks,events:write')
  expect(stdout).toContain('port that the service listens on, by default 8080')
  expect(stdout).not.toMatch(/generated|any free port/)
})

it("the service's errors are printed with their pointers", async () => {
  const { code, stderr } = await run('workspace', 'create', '--profile', 'post', '--slug', 'x', '--name', 'X')
  expect(code).toBe(1)
  expect(stderr).toMatch(/^posthorn: 422: [^\n]*\n {2}\/dialect [^\n]+\n$/)
})

it.each([
  [['--data', '{'], /^posthorn: --data: use valid JSON, /],
  [['--data', '{}'], /^posthorn: publish: give --workspace/],
  [
    ['--data', '{}', '--entity', 'campaign'],
    /^posthorn: --entity: use kind:uuid, such as campaign:.* \(got campaign\)\n$/,
  ],
  [['--data', '{}', '--flat', '--workspace', 'acme'], /^posthorn: publish: .*, not both\n$/],
  [['--data', '{}', '--flat', '--member', 'red'], /^posthorn: --member: use name=value, .* \(got red\)\n$/],
  [['--data', '{}', '--entity', 'a:b', '--workspace', 'acme'], /^posthorn: publish: .*, not both\n$/],
])('publish with %j reports in one line what is missing', async (flags, message) => {
  const { code, stderr } = await run('publish', '--key', 'phk_x', '--type', 'plan.ready', ...flags)
  expect(code).toBe(1)
  expect(stderr).toMatch(message)
})

it('admin tokens are created, work for commands, are listed and revoked', async () => {
  const made = await answerOf('admin-token', 'create', '--name', 'CI', '--expires-in', '90d')
  const { id, token } = made
  expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBeGreaterThan(89 * 86_400_000)
  const byToken = { POSTHORN_PUBLIC_URL: service.url, POSTHORN_ADMIN_TOKEN: token }
  const list = await runPosthorn(['admin-token', 'list'], byToken)
  expect(JSON.parse(list.stdout)).toMatchObject({ data: [{ id, name: 'CI', revoked_at: null }] })
  expect(list.stdout).not.toContain(token)
  expect(await run('admin-token', 'revoke', id)).toMatchObject({
    code: 0,
    stdout: `Revoked the admin token ${id}.\n`,
  })
  const { code, stderr } = await runPosthorn(['admin-token', 'list'], byToken)
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^posthorn: 401: The admin token "CI" was revoked at \S+; use another one\. The credential is from POSTHORN_ADMIN_TOKEN\.\n$/,
    ),
  ])
  const wrong = await run('admin-token', 'create', '--name', 'CI', '--expires-in', 'soon')
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    expect.stringMatching(/^posthorn: --expires-in: "soon" is /),
  ])
})

it('an unreachable service is named', async () => {
  const away = { POSTHORN_PUBLIC_URL: 'http://127.0.0.1:1', POSTHORN_ADMIN_TOKEN: ADMIN_TOKEN }
  const { code, stderr } = await runPosthorn(['workspace', 'list'], away)
  expect(code).toBe(1)
  expect(stderr).toMatch(/^posthorn: no service answers at http:\/\/127\.0\.0\.1:1;/)
})

it('the admin token is read from the data directory that --data-dir names, and the error for a wrong one names its source', async () => {
  const list = (token: string) => {
    const dataDir = makeDirectory()
    writeFileSync(path.join(dataDir, 'admin-token'), `${token}\n`)
    return {
      dataDir,
      done: runPosthorn(['workspace', 'list', '--public-url', service.url, '--data-dir', dataDir]),
    }
  }
  const right = list(ADMIN_TOKEN)
  const wrong = list('another-admin-token-0123456789')
  expect(await right.done).toMatchObject({ code: 0, stderr: '' })
  expect(await wrong.done).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `posthorn: 401: This is not an admin token of this service. Check that you copied all of it. The credential is from ${wrong.dataDir}/admin-token.\n`,
  })
  const given = ['--public-url', service.url, '--data-dir', right.dataDir]
  const byVariable = await runPosthorn(['login-link', '--email', 'x@example.com', ...given], {
    POSTHORN_ADMIN_TOKEN: 'another-admin-token-0123456789',
  })
  expect(byVariable.stderr).toMatch(/^posthorn: 401: .* The credential is from POSTHORN_ADMIN_TOKEN\.\n$/)
  for (const { dataDir } of [right, wrong]) removeDirectory(dataDir)
})

it('the error for a missing admin token names the data directory', async () => {
  const { code, stderr } = await runPosthorn(['key', 'list', 'acme', '--data-dir', directory])
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /^posthorn: POSTHORN_ADMIN_TOKEN: not set, and [^\n]+ has no admin-token; give [^\n]+ --data-dir, or start[^\n]+\n$/,
  )
  expect(stderr).toContain(directory)
})

it('an unknown variable is reported without its value, and does not stop the command', async () => {
  const { settings, remove } = await makeTestStore()
  const dataDir = path.join(directory, 'misspelt')
  const misspelt = { ...settings, POSTHORN_DATA_DIR: dataDir, POSTHORN_EGRES_ALLOW: '10.1.2.3' }
  const { code, stderr } = await runPosthorn(['migrate'], misspelt)
  const warning =
    'posthorn: POSTHORN_EGRES_ALLOW is not a setting and is ignored; did you mean POSTHORN_EGRESS_ALLOW?\n'
  expect(stderr.startsWith(warning)).toBe(true)
  expect(stderr).not.toContain('10.1.2.3')
  expect(code).toBe(0)
  await remove()
})

it('migrate creates a store that serve then opens', async () => {
  const dataDir = path.join(directory, 'migrated')
  const { settings, remove } = await makeTestStore()
  const { code, stdout } = await runPosthorn(['migrate'], { ...settings, POSTHORN_DATA_DIR: dataDir })
  expect(stdout).toMatch(/is up to date/)
  expect(code).toBe(0)
  const served = await startService({ dataDir, settings })
  await served.kill()
  await remove()
})

it('login-link prints a link that signs in, once', async () => {
  const admin = (path: string, body: object) =>
    fetch(`${service.url}/admin/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const email = 'olga@example.com'
  expect((await admin('operators', { email, name: 'Olga' })).status).toBe(201)
  const { code, stdout, stderr } = await run('login-link', '--email', email)
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^Works once, until \d{4}-.+Z\.\n$/)])
  expect(stdout).toMatch(/^http:\/\/[^#\s]+\/sign-in#phl_[\w-]{43}\n$/)
  const token = stdout.trim().split('#')[1]
  const signIn = () =>
    fetch(`${service.url}/console/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    })
  expect(await (await signIn()).json()).toMatchObject({ email, operator: true })
  expect((await signIn()).status).toBe(401)

  const unknown = await run('login-link', '--email', 'unknown@example.com')
  expect([unknown.code, unknown.stdout]).toEqual([1, ''])
  expect(unknown.stderr).toContain('There is no member or operator with this e-mail address.')
  for (const way of ['POST /admin/v1/workspaces/{ws}/members', 'POST /admin/v1/operators'])
    expect(unknown.stderr).toContain(way)
})

it.each(['content', 'ads'])(
  'test, retry and recover work on a webhook of the %s service',
  async (dialect) => {
    const slug = `mend-${dialect}`
    const isAds = dialect === 'ads'
    const scopes = isAds ? 'webhooks' : 'webhooks,generations:read'
    await answerOf('workspace', 'create', '--profile', dialect, '--slug', slug, '--name', 'Mend')
    const { key } = await answerOf('key', 'create', slug, '--name', 'cli', '--scopes', scopes)
    const [type, members] = isAds ? ['deal.created.v1', 'types'] : ['plan.ready', 'events']
    const made = await fetch(`${service.url}${isAds ? '/api/v1' : `/v1/workspaces/${slug}`}/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: 'http://127.0.0.1:1/hook', [members]: [type] }),
    })
    const { id } = (await made.json()) as { id: string }
    const flags = ['--key', key, ...(isAds ? [] : ['--workspace', slug])]
    const tested = await answerOf('test', id, '--type', type, ...flags)
    expect(tested[isAds ? 'eventType' : 'event_type']).toBe(type)
    expect(await answerOf('retry', id, '--no-wait', ...flags)).toMatchObject({ delivered: 0 })
    const retried = await run('retry', id, ...flags)
    expect(JSON.parse(retried.stdout)).toMatchObject({ status: 'done', delivered: 0 })
    expect([retried.code, retried.stderr.split('\n').at(-2)]).toEqual([0, '0 delivered, 0 pending'])
    const unknown = await run('retry', id, '--delivery', ENTITY, ...flags)
    expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^posthorn: 404: /) })
    const since = ['--since', '2026-03-14T00:00:00Z']
    const counted = await answerOf('recover', id, ...since, '--dry-run', '--types', `${type},`, ...flags)
    expect(counted).toMatchObject({ total: 0, missed: { count: 0 } })
    expect(counted).not.toHaveProperty('id')
    const begun = await answerOf('recover', id, ...since, '--no-wait', ...flags)
    expect(begun).toMatchObject({ total: 0, id: expect.any(String) })
    const { code, stdout, stderr } = await run('recover', id, ...since, '--status', 'canceled', ...flags)
    expect([code, stderr]).toEqual([0, '0 of 0 finished: 0 delivered, 0 failed\n'])
    expect(JSON.parse(stdout)).toMatchObject({ status: 'done' })
    const refused = await run('recover', id, '--since', 'yesterday', ...flags)
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^posthorn: 422: [^\n]*\n {2}\/since /),
    ])
  },
)
