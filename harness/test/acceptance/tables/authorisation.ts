import { describe, expect, test } from 'vitest'
import { type Account, addKey, openAccount, SCOPES, serviceOf, signInAs } from '../accounts.ts'
import { blankParams, type Described, withCode } from '../operations.ts'
import { sampleIn } from '../samples/index.ts'
import { call } from '../world.ts'

/** Calls an operation without a body and with parameters that name nothing: it is not let further than that. */
const knock = ({ ws }: Account, operation: Described, key: string) =>
  call(operation.id, { key, params: { ...blankParams(operation), ws } })

/** The scopes that a refusal names. */
const scopesIn = (challenge: string | undefined) => /scope="([^"]+)"/.exec(challenge ?? '')?.[1]?.split(' ')

export function authorisation(): void {
  test.each(withCode('scope_missing'))('%s needs the scopes that it names', async (_id, operation) => {
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
    test.each(withCode('role_missing'))('is refused %s', async (_id, operation) => {
      const account = await openAccount(serviceOf(operation))
      const { status, json } = await knock(account, operation, await signInAs(account, role))
      expect([status, json.code]).toEqual([403, 'role_missing'])
    })
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
