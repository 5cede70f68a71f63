import { describe, expect, test } from 'vitest'
import { ADMIN_TOKEN } from '../../../src/support/posthorn.ts'
import {
  type Account,
  addKey,
  browserWith,
  openAccount,
  portalToken,
  SCOPES,
  serviceOf,
  signInAs,
} from '../accounts.ts'
import { blankParams, type Described, withCode } from '../operations.ts'
import { sampleIn } from '../samples/index.ts'
import { call } from '../world.ts'

/**
 * Calls an operation without a body and with parameters that name nothing: authorization must reject it
 * first.
 */
const knock = ({ ws }: Account, operation: Described, key: string) =>
  call(operation.id, { key, params: { ...blankParams(operation), ws } })

/** The scopes named in a challenge. */
const scopesIn = (challenge: string | undefined) => /scope="([^"]+)"/.exec(challenge ?? '')?.[1]?.split(' ')

/** One session for all tests. */
let signedIn: ReturnType<typeof browserWith> | null = null
const operator = () => {
  signedIn ??= browserWith(ADMIN_TOKEN)
  return signedIn
}

export function authorization(): void {
  test.each(withCode('scope_missing'))('%s needs the scopes that it documents', async (_id, operation) => {
    const account = await openAccount(serviceOf(operation))
    const scopes = SCOPES[account.service]
    let needed: readonly string[] | undefined
    for (const scope of scopes) {
      const { status, json, headers } = await knock(
        account,
        operation,
        (await addKey(account, { scopes: [scope] })).key,
      )
      if (status !== 403 || json.code === 'role_missing') continue
      expect(json.code).toBe('scope_missing')
      const named = scopesIn(headers['www-authenticate'])
      expect(named).not.toEqual([scope])
      expect(needed ?? named).toEqual(named)
      needed = named
    }
    expect(scopes).toEqual(expect.arrayContaining([...needed!]))
    const { key } = await addKey(account, { scopes: needed, member_id: account.ownerId })
    expect((await knock(account, operation, key)).status).not.toBe(403)
  })

  describe.each(['editor', 'viewer'] as const)('a member who is %s', (role) => {
    test.each(withCode('role_missing'))('cannot call %s', async (_id, operation) => {
      const account = await openAccount(serviceOf(operation))
      const { status, json } = await knock(account, operation, await signInAs(account, role))
      expect([status, json.code]).toEqual([403, 'role_missing'])
    })
  })

  test.each(withCode('members_only'))('%s rejects API keys', async (_id, operation) => {
    const account = await openAccount(serviceOf(operation))
    const { status, json } = await knock(account, operation, account.key)
    expect([status, json.code]).toEqual([403, 'members_only'])
  })

  test.each(withCode('operators_only'))('%s rejects members in a browser', async (_id, operation) => {
    const headers = await browserWith(await portalToken(await openAccount('content')))
    const { status, json } = await call(operation.id, { params: blankParams(operation), headers })
    expect([status, json.code]).toEqual([403, 'operators_only'])
  })

  test.each(withCode('operators_only'))('%s is for operators in a browser', async (_id, operation) => {
    const account = await openAccount('content')
    const { key: _key, ...sample } = await sampleIn(account, operation)
    const { status, text } = await call(operation.id, { ...sample, headers: await operator() })
    expect(status, text).toBeLessThan(300)
  })

  test.each(withCode('cross_site'))('%s rejects requests from other sites', async (_id, operation) => {
    const headers = { ...(await operator()), 'sec-fetch-site': 'cross-site' }
    const { status, json } = await call(operation.id, { params: blankParams(operation), headers })
    expect([status, json.code]).toEqual([403, 'cross_site'])
  })

  test.each(withCode('not_creator'))(
    '%s is only for the key that created the webhook',
    async (id, operation) => {
      const account = await openAccount(serviceOf(operation))
      const sample = await sampleIn(account, operation)
      const other = await addKey(account, { member_id: account.ownerId })
      const refused = await call(id, { ...sample, key: other.key })
      expect([refused.status, refused.json.code]).toEqual([403, 'not_creator'])
      expect((await call(id, sample)).status).toBeLessThan(300)
    },
  )
}
