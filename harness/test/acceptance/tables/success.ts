import { expect, test } from 'vitest'
import { openAccount, serviceOf, signIn, signInAs } from '../accounts.ts'
import { type Described, hasCode, operations, titled } from '../operations.ts'
import { sampleIn, sampleOf } from '../samples/index.ts'
import { call } from '../world.ts'

const takesMembers = ({ security }: Described) => security.some((one) => 'memberSession' in one)

export function success(): void {
  test.each(titled(operations))('%s succeeds', async (id, operation) => {
    const { status, text } = await call(id, await sampleOf(operation))
    expect(status, text).toBeLessThan(300)
  })

  test.each(titled(operations.filter(takesMembers)))('%s succeeds for an owner', async (id, operation) => {
    const account = await openAccount(serviceOf(operation))
    const key = await signIn(account.ws, account.ownerId)
    const { status, text } = await call(id, { ...(await sampleIn(account, operation)), key })
    expect(status, text).toBeLessThan(300)
  })

  const forViewers = operations.filter((one) => takesMembers(one) && !hasCode(one, 'role_missing'))
  test.each(titled(forViewers))('%s succeeds for every member', async (id, operation) => {
    const account = await openAccount(serviceOf(operation))
    const key = await signInAs(account, 'viewer')
    const { status, text } = await call(id, { ...(await sampleIn(account, operation)), key })
    expect(status, text).toBeLessThan(300)
  })

  const ofContent = operations.filter(({ path }) => path.startsWith('/v1/workspaces/{ws}/'))
  test.each(titled(ofContent))('%s accepts the slug instead of the id', async (id, operation) => {
    const account = await openAccount('content')
    const sample = await sampleIn(account, operation)
    const { status, text } = await call(id, { ...sample, params: { ...sample.params, ws: account.slug } })
    expect(status, text).toBeLessThan(300)
  })
}
