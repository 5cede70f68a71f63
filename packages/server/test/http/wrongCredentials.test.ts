import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Clock } from '../../src/core/clock.ts'
import { newCredential } from '../../src/http/shared/credentials.ts'
import { AUTHENTICATION_LIMITS } from '../../src/http/shared/throttle/limits.ts'
import { codeOf, newAddress, OWN_PAGE, openBrowser } from './people.ts'
import { ADMIN_TOKEN, type Call, startTestService, type TestService, type TestWorkspace } from './service.ts'

const HOUR_MS = 60 * 60_000
const { adminTokens, credentials, repeats } = AUTHENTICATION_LIMITS

/** Stands still except where a test moves it: otherwise refills of a limit would depend on the machine. */
const time = { ms: 0 }
const stoppedClock = (clock: Clock): Clock => ({
  now: () => clock.now(),
  monotonic: () => time.ms,
  after: (delayMs, callback) => clock.after(delayMs, callback),
})

let service: TestService
let proxied: TestService
let workspace: TestWorkspace
/** Every failed authentication, as reported to the metrics. */
let failures: string[] = []
let lookUps = 0

beforeAll(async () => {
  service = await startTestService(({ clock }) => ({
    authenticationLimits: AUTHENTICATION_LIMITS,
    clock: stoppedClock(clock),
  }))
  proxied = await startTestService(({ storage, clock }) => ({
    clock: stoppedClock(clock),
    authenticationLimits: AUTHENTICATION_LIMITS,
    authenticationObserver: { failed: (kind, outcome) => failures.push(`${kind} ${outcome}`) },
    trustedProxies: ['127.0.0.0/8'],
    storage: {
      ...storage,
      credentials: {
        ...storage.credentials,
        findKey(params) {
          lookUps += 1
          return storage.credentials.findKey(params)
        },
      },
    },
  }))
  workspace = await proxied.workspace('content')
})
afterAll(async () => {
  await service.stop()
  await proxied.stop()
})
beforeEach(() => {
  time.ms += HOUR_MS
  failures = []
  lookUps = 0
})

const from = (ip: string) => ({ 'x-forwarded-for': ip })
let clients = 0
/** An unused client address. */
const newClient = () => `203.0.${113 + Math.floor(++clients / 250)}.${clients % 250}`

let guesses = 0
const newGuess = () => `no-admin-token-${++guesses}`

type Headers = Call['headers']

const administer = async (of: TestService, key: string, headers: Headers = {}) =>
  codeOf(await of.call({ method: 'GET', url: '/admin/v1/workspaces', key, headers }))

const publish = async (key: string, headers: Headers = {}) =>
  codeOf(await proxied.call({ method: 'GET', url: `/v1/workspaces/${workspace.id}/webhooks`, key, headers }))

const askForLink = async (of: TestService, headers: Headers = {}) => {
  const call = { method: 'POST', url: '/console/v1/sign-in-links', body: { email: newAddress() } } as const
  return codeOf(await of.call({ ...call, headers: { ...OWN_PAGE, ...headers } }))
}

const signIn = async (of: TestService, token: string, headers: Headers = {}) => {
  const call = { method: 'POST', url: '/console/v1/session', body: { token } } as const
  return codeOf(await of.call({ ...call, headers: { ...OWN_PAGE, ...headers } }))
}

async function times<T>(count: number, trying: () => Promise<T>): Promise<T[]> {
  const answers = []
  for (let n = 0; n < count; n++) answers.push(await trying())
  return answers
}

const WRONG_TOKEN = '401 admin_token_invalid'
const WRONG_KEY = '401 key_invalid'
const THROTTLED = '429 too_many_wrong_credentials'

describe('guesses at the admin token', () => {
  const max = adminTokens.byClient.burst

  it('are answered up to a limit; then nothing is compared, until one more is allowed', async () => {
    const headers = from(newClient())
    expect(await times(max, () => administer(proxied, newGuess(), headers))).toEqual(
      Array(max).fill(WRONG_TOKEN),
    )
    expect(await times(3, () => administer(proxied, newGuess(), headers))).toEqual(Array(3).fill(THROTTLED))
    expect(await administer(proxied, ADMIN_TOKEN, headers)).toBe(THROTTLED)
    const answer = await proxied.call({
      method: 'GET',
      url: '/admin/v1/workspaces',
      key: newGuess(),
      headers,
    })
    const seconds = Number(answer.headers['retry-after'])
    expect(seconds).toBeGreaterThan(0)
    expect(answer.json.detail).toContain(`try again in ${seconds} second`)
    time.ms += seconds * 1000
    expect(await administer(proxied, newGuess(), headers)).toBe(WRONG_TOKEN)
    expect(await administer(proxied, newGuess(), headers)).toBe(THROTTLED)
  })

  it('share a limit between the API and the sign-in page', async () => {
    const headers = from(newClient())
    await times(max - 1, () => administer(proxied, newGuess(), headers))
    expect(await signIn(proxied, newGuess(), headers)).toBe(WRONG_TOKEN)
    expect(await signIn(proxied, newGuess(), headers)).toBe('429 too_many_sign_ins')
    expect(await signIn(proxied, ADMIN_TOKEN, headers)).toBe('429 too_many_sign_ins')
    expect(await administer(proxied, newGuess(), headers)).toBe(THROTTLED)
  })

  it('do not lock out a client at another address, nor one that was right at this one', async () => {
    const [attacker, operator] = [from(newClient()), from(newClient())]
    expect(await administer(proxied, ADMIN_TOKEN, attacker)).toBe('ok')
    await times(max, () => administer(proxied, newGuess(), attacker))
    expect(await administer(proxied, newGuess(), attacker)).toBe(THROTTLED)
    expect(await administer(proxied, ADMIN_TOKEN, attacker)).toBe('ok')
    expect(await administer(proxied, ADMIN_TOKEN, operator)).toBe('ok')
    time.ms += 24 * HOUR_MS
    await times(max, () => administer(proxied, newGuess(), attacker))
    expect(await administer(proxied, ADMIN_TOKEN, attacker)).toBe(THROTTLED)
  })

  it('of many addresses leave each a first one, and a second only once its first is forgotten', async () => {
    const firsts = await times(adminTokens.inAll.burst, () =>
      administer(proxied, newGuess(), from(newClient())),
    )
    expect(firsts).toEqual(Array(adminTokens.inAll.burst).fill(WRONG_TOKEN))
    const client = from(newClient())
    expect(await administer(proxied, newGuess(), client)).toBe(WRONG_TOKEN)
    expect(await administer(proxied, newGuess(), client)).toBe(THROTTLED)
    expect(await administer(proxied, ADMIN_TOKEN, from(newClient()))).toBe('ok')
    time.ms += adminTokens.byClient.everyMs
    expect(await administer(proxied, ADMIN_TOKEN, client)).toBe('ok')
  }, 60_000)

  it('do not include repeats of the same token, which have their own limit', async () => {
    const headers = from(newClient())
    const forgotten = newGuess()
    const answers = await times(repeats.burst + 2, () => administer(proxied, forgotten, headers))
    expect(answers).toEqual([...Array(repeats.burst).fill(WRONG_TOKEN), THROTTLED, THROTTLED])
    expect(await administer(proxied, forgotten, from(newClient()))).toBe(WRONG_TOKEN)
    expect(await administer(proxied, newGuess(), headers)).toBe(WRONG_TOKEN)
    expect(await administer(proxied, ADMIN_TOKEN, headers)).toBe('ok')
  })

  it('are counted and logged, a few in full, without the tokens', async () => {
    const headers = from('198.51.100.7')
    const before = proxied.logs.length
    await times(max + 10, () => administer(proxied, newGuess(), headers))
    expect(failures.filter((failure) => failure === 'admin_token refused')).toHaveLength(max)
    expect(failures.filter((failure) => failure === 'admin_token throttled')).toHaveLength(10)
    const lines = proxied.logs.slice(before).map((line) => JSON.parse(line))
    const expected = { credential: 'admin_token', ip: '198.51.100.7' }
    for (const line of lines) expect(line).toMatchObject(expected)
    expect(lines.length).toBeLessThanOrEqual(6)
    expect(proxied.logs.join()).not.toContain('no-admin-token')
  })
})

describe('wrong API keys and sessions', () => {
  const max = credentials.byClient.burst
  const flood = (headers: Headers, kind: 'key' | 'session' = 'key') =>
    times(max * 3, () => publish(newCredential(kind), headers))

  it.each(['key', 'session'] as const)(
    'of the form of a %s are looked up up to their rate limit',
    async (kind) => {
      const headers = from(newClient())
      const answers = await flood(headers, kind)
      expect(answers).toEqual([...Array(max).fill(WRONG_KEY), ...Array(2 * max).fill(THROTTLED)])
      expect(failures).toHaveLength(answers.length)
      time.ms += 3 * credentials.byClient.everyMs
      expect((await flood(headers, kind)).filter((answer) => answer === WRONG_KEY)).toHaveLength(3)
      if (kind === 'key') expect(lookUps).toBe(max + 3)
    },
  )

  it('do not lock out a key or session that was right before, whatever its address', async () => {
    const headers = from(newClient())
    expect(await publish(workspace.key, from(newClient()))).toBe('ok')
    await flood(headers)
    expect(await publish(workspace.key, headers)).toBe('ok')
    const { key } = await proxied.key(workspace.id, { scopes: ['webhooks', 'generations:read'] })
    expect(await publish(key, from(newClient()))).toBe('ok')
  })

  it('are not looked up repeatedly when they are the same', async () => {
    const key = newCredential('key')
    const headers = from(newClient())
    const answers = await times(repeats.burst + 5, () => publish(key, headers))
    expect(answers).toEqual([...Array(repeats.burst).fill(WRONG_KEY), ...Array(5).fill(THROTTLED)])
    expect(lookUps).toBe(repeats.burst)
  })

  it('that were revoked have the limit of repeats, and use nothing of others', async () => {
    const made = await proxied.key(workspace.id)
    await proxied.admin('DELETE', `/workspaces/${workspace.id}/keys/${made.id}`)
    const headers = from(newClient())
    const answers = await times(repeats.burst + 1, () => publish(made.key, headers))
    expect(answers).toEqual([...Array(repeats.burst).fill('401 key_revoked'), THROTTLED])
    const fresh = await proxied.key(workspace.id, { scopes: ['webhooks', 'generations:read'] })
    expect(await publish(fresh.key, headers)).toBe('ok')
  })

  it.each(['nonsense', `phk_${'A'.repeat(42)}`])(
    'without the right form, as %s, cost no lookup',
    async (text) => {
      const headers = from(newClient())
      const answers = await times(max * 2, () => publish(`${text}${++guesses}`, headers))
      expect(answers).toContain(THROTTLED)
      expect(lookUps).toBe(0)
    },
  )

  it('in cookies are counted as well', async () => {
    const headers = { ...from(newClient()), ...OWN_PAGE }
    const answers = await times(max * 2, async () => {
      const cookie = `posthorn_session=${newCredential('browser')}`
      return codeOf(
        await proxied.call({ method: 'GET', url: '/console/v1/session', headers: { ...headers, cookie } }),
      )
    })
    expect(answers.slice(0, max)).toEqual(Array(max).fill('401 session_invalid'))
    expect(answers).toContain(THROTTLED)
    expect(failures).toContain('session throttled')
  })
})

describe('links', () => {
  it('that are wrong are looked up at a limited rate, and lock out no admin token', async () => {
    const headers = from(newClient())
    const answers = await times(credentials.byClient.burst * 2, () =>
      signIn(proxied, newCredential('link'), headers),
    )
    expect(answers.slice(0, credentials.byClient.burst)).not.toContain('429 too_many_sign_ins')
    expect(answers).toContain('429 too_many_sign_ins')
    expect(await signIn(proxied, ADMIN_TOKEN, headers)).toBe('ok')
  })

  it('may be requested thirty times by a client, in addition to wrong tokens', async () => {
    const max = AUTHENTICATION_LIMITS.linksAskedFor.byClient.burst
    expect(await times(max, () => askForLink(service))).toEqual(Array(max).fill('ok'))
    expect(await askForLink(service)).toBe('429 too_many_sign_ins')
    expect(await signIn(service, newGuess())).toBe(WRONG_TOKEN)
    expect(codeOf((await openBrowser(service, ADMIN_TOKEN)).answer)).toBe('ok')
    time.ms += HOUR_MS
    expect(await askForLink(service)).toBe('ok')
  })
})

describe('the address of a client', () => {
  const max = adminTokens.byClient.burst

  it('is the one named by a trusted proxy', async () => {
    const ip = newClient()
    await times(max, () => signIn(proxied, newGuess(), from(ip)))
    // Values that the client itself sent before it are ignored, and so is the port that some proxies add.
    for (const same of [ip, `198.51.100.1, ${ip}`, `${ip}:4711`])
      expect(await signIn(proxied, newGuess(), from(same))).toBe('429 too_many_sign_ins')
    expect(await signIn(proxied, newGuess(), from(newClient()))).toBe(WRONG_TOKEN)
  })

  it('is its network of 64 bits with IPv6', async () => {
    let n = 0
    const next = () => from(`2001:db8:0:1::${(++n).toString(16)}`)
    await times(max, () => signIn(proxied, newGuess(), next()))
    for (const same of [next(), from('[2001:db8:0:1::ffff]:4711')])
      expect(await signIn(proxied, newGuess(), same)).toBe('429 too_many_sign_ins')
    expect(await signIn(proxied, newGuess(), from('2001:db8:0:2::1'))).toBe(WRONG_TOKEN)
  })

  it('may be a name instead of an address', async () => {
    expect(await signIn(proxied, newGuess(), from('unknown'))).toBe(WRONG_TOKEN)
    expect(await askForLink(proxied, from('unknown'))).toBe('ok')
  })

  it('cannot be named by the client where no proxy is trusted, which the log says', async () => {
    let n = 0
    const next = () => from(`203.0.113.${++n}`)
    await times(max, () => signIn(service, newGuess(), next()))
    expect(await signIn(service, newGuess(), next())).toBe('429 too_many_sign_ins')
    expect(service.logs.at(-1)).toMatch(/"ip":"127.0.0.1".*"hint":".*POSTHORN_TRUSTED_PROXIES/)
  })
})
