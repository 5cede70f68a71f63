import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Call } from '../../../src/api/client.ts'
import { eventually } from '../../../src/support/waiting.ts'
import {
  type Account,
  addAdminToken,
  addKey,
  addMember,
  admin,
  OWN_PAGE,
  openAccount,
  type Service,
  serviceOf,
  signIn,
} from '../accounts.ts'
import { blankParams, type Described, hasCode, operations, titled, withCode } from '../operations.ts'
import { call, done, fromNewClient } from '../world.ts'

const random = () => randomBytes(32).toString('base64url')
/** Lifetime of an expiring key; long enough for a busy machine to create it. */
const LIFE_MS = 1_000

/** Credentials that are no longer valid, of a workspace of each service. */
interface Spent {
  readonly revoked: string
  readonly expired: string
  readonly signedOut: string
}

async function spend(service: Service): Promise<Spent> {
  const account = await openAccount(service)
  const expires_at = new Date(Date.now() + LIFE_MS).toISOString()
  const expired = await addKey(account, { expires_at })
  const revoked = await addKey(account)
  await done('revokeKey', { ...admin, params: { ws: account.ws, id: revoked.id } })
  const signedOut = await signOut(account)
  await eventually(async () => ((await isRefused(account, expired.key)) ? true : null), {
    withinMs: 5_000,
    what: 'the end of a key',
  })
  return { revoked: revoked.key, expired: expired.key, signedOut }
}

async function signOut({ ws }: Account): Promise<string> {
  const { id } = await addMember(ws, 'owner')
  const token = await signIn(ws, id)
  await done('deleteSessions', { ...admin, params: { ws, id } })
  return token
}

async function isRefused({ service, ws }: Account, key: string): Promise<boolean> {
  const list = service === 'ads' ? 'listAdsWebhooks' : 'listContentWebhooks'
  const params: Record<string, string> = service === 'ads' ? {} : { ws }
  return (await call(list, { key, params })).status === 401
}

/** @param challenge expected content of `WWW-Authenticate` */
async function expectRefusal(operation: Described, how: Call, code: string, challenge: RegExp) {
  const headers = { ...fromNewClient(), ...how.headers }
  const answer = await call(operation.id, { params: blankParams(operation), ...how, headers })
  expect([answer.status, answer.json.code]).toEqual([401, code])
  expect(answer.headers['www-authenticate']).toMatch(challenge)
}

const MISSING = /^Bearer realm="posthorn"$/
const INVALID = /^Bearer realm="posthorn", error="invalid_token"$/

export function authentication(): void {
  const secured = operations.filter(({ security }) => security.length > 0)

  test('only probes, scrapers and sign-in need no credentials', () => {
    const open = operations.filter(({ security }) => security.length === 0)
    expect(open.map(({ id }) => id)).toEqual(['healthz', 'readyz', 'metrics', 'requestSignInLink', 'signIn'])
  })

  test.each(titled(secured))('%s rejects requests without credentials', async (_id, operation) => {
    await expectRefusal(operation, {}, 'credentials_missing', MISSING)
    const basic = { headers: { authorization: 'Basic YTpi' } }
    await expectRefusal(operation, basic, 'credentials_missing', MISSING)
  })

  describe('credentials of workspaces', () => {
    const spent = new Map<string, Spent>()
    beforeAll(async () => {
      const services = ['content', 'ads'] as const
      await Promise.all(services.map(async (service) => spent.set(service, await spend(service))))
    })
    const withKeys = secured.filter((one) => hasCode(one, 'key_invalid'))

    test.each(titled(withKeys))('%s rejects credentials that never existed', async (_id, operation) => {
      for (const key of ['nonsense', `phk_${random()}`, `phs_${random()}`, admin.key]) {
        await expectRefusal(operation, { key }, 'key_invalid', INVALID)
      }
    })

    test.each(titled(withKeys))('%s rejects revoked and expired credentials', async (_id, operation) => {
      const { revoked, expired, signedOut } = spent.get(serviceOf(operation))!
      await expectRefusal(operation, { key: revoked }, 'key_revoked', INVALID)
      await expectRefusal(operation, { key: expired }, 'key_expired', INVALID)
      await expectRefusal(operation, { key: signedOut }, 'key_invalid', INVALID)
    })
  })

  test.each(withCode('session_invalid'))('%s rejects an unknown session cookie', async (_id, operation) => {
    for (const token of ['nonsense', `phb_${random()}`, `phs_${random()}`, `phk_${random()}`]) {
      const headers = { ...OWN_PAGE, cookie: `posthorn_session=${token}` }
      await expectRefusal(operation, { headers }, 'session_invalid', INVALID)
    }
  })

  describe('the admin token', () => {
    let keys: readonly string[]
    const ended = { revoked: '', expired: '' }
    beforeAll(async () => {
      keys = ['nonsense', `${admin.key}x`, `pht_${random()}`, (await openAccount('content')).key]
      const expired = await addAdminToken({ expires_at: new Date(Date.now() + LIFE_MS).toISOString() })
      const revoked = await addAdminToken()
      await done('revokeAdminToken', { ...admin, params: { id: revoked.id } })
      Object.assign(ended, { revoked: revoked.token, expired: expired.token })
      await eventually(async () => (await call('listNodes', { key: expired.token })).status === 401 || null, {
        withinMs: 5_000,
        what: 'the end of an admin token',
      })
    })
    const withToken = secured.filter((one) => hasCode(one, 'admin_token_invalid'))

    test.each(titled(withToken))('%s rejects other credentials', async (_id, operation) => {
      for (const key of keys) await expectRefusal(operation, { key }, 'admin_token_invalid', INVALID)
    })

    const withMade = secured.filter((one) => hasCode(one, 'admin_token_revoked'))
    test.each(titled(withMade))('%s rejects revoked and expired tokens', async (_id, operation) => {
      await expectRefusal(operation, { key: ended.revoked }, 'admin_token_revoked', INVALID)
      await expectRefusal(operation, { key: ended.expired }, 'admin_token_expired', INVALID)
    })
  })
}
