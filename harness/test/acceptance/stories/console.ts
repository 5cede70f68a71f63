import { once } from 'node:events'
import http from 'node:http'
import { expect, test } from 'vitest'
import { admin, browserWith, openAccount, portalToken, signInAs, unique } from '../accounts.ts'
import { expectProblem } from '../expectProblem.ts'
import { blankParams, withCode } from '../operations.ts'
import { call, done, fromNewClient, serviceUrl } from '../world.ts'

const STREAMS_PER_SESSION = 5

/** Number of links and wrong tokens that a client may request in a quarter of an hour. */
const TRIES = 30

/** Must run last: afterwards no client here can request a link for a while. */
export function lastStory(): void {
  test.each(withCode('too_many_wrong_credentials'))(
    '%s delays a client that keeps using a wrong credential',
    async (id, operation) => {
      const headers = fromNewClient()
      const wrong = { key: 'nonsense', headers, params: blankParams(operation) }
      for (let n = 0; n < TRIES; n++) expect((await call(id, wrong)).status).toBe(401)
      await expectProblem(id, wrong, 429, 'too_many_wrong_credentials')
    },
  )

  test('too many wrong tokens or link requests are delayed, each separately', async () => {
    const wrong = { json: { token: 'nonsense' } }
    for (let n = 0; n < TRIES; n++) expect([401, 429]).toContain((await call('signIn', wrong)).status)
    await expectProblem('signIn', wrong, 429, 'too_many_sign_ins')
    const ask = () => ({ json: { email: `${unique('unknown')}@example.com` } })
    expect((await call('requestSignInLink', ask())).status).toBe(202)
    for (let n = 0; n < TRIES; n++)
      expect([202, 429]).toContain((await call('requestSignInLink', ask())).status)
    await expectProblem('requestSignInLink', ask(), 429, 'too_many_sign_ins')
    expect((await call('signIn', { json: { token: admin.key } })).status).toBe(200)
  })
}

export function consoleStories(): void {
  test('a link works once; an invalid token signs no one in', async () => {
    const json = { token: await portalToken(await openAccount('ads')) }
    expect((await call('signIn', { json })).status).toBe(200)
    await expectProblem('signIn', { json }, 401, 'link_spent')
    await expectProblem('signIn', { json: { token: 'nonsense' } }, 401, 'admin_token_invalid')
  })

  test('a link opens only its own page, and does not sign out anyone unasked', async () => {
    const token = await portalToken(await openAccount('ads'))
    const headers = await browserWith(admin.key)
    await expectProblem('signIn', { json: { token, page: 'sign-in' } }, 409, 'wrong_page')
    const json = { token, page: 'portal' }
    await expectProblem('signIn', { headers, json }, 409, 'signed_in_as_another')
    expect((await call('signIn', { headers, json: { ...json, replace: true } })).status).toBe(200)
    await expectProblem('getSession', { headers }, 401, 'session_invalid')
  })

  test("an operator's email address is unique, and an unknown one gets no link", async () => {
    const json = { email: `${unique('olga')}@example.com`, name: 'Olga' }
    const link = { ...admin, json: { email: json.email } }
    await expectProblem('createSignInLink', link, 404, 'not_found')
    await done('createOperator', { ...admin, json })
    await expectProblem('createOperator', { ...admin, json }, 409, 'email_taken')
    const { url } = await done<{ url: string }>('createSignInLink', link)
    const headers = await browserWith(url.slice(url.indexOf('#') + 1))
    expect(await done('getSession', { headers })).toMatchObject({ email: json.email, operator: true })
    await done('signOut', { headers })
    await expectProblem('getSession', { headers }, 401, 'session_invalid')
  })

  test('a session may watch deliveries with a few concurrent streams', async () => {
    const account = await openAccount('content')
    const key = await signInAs(account, 'viewer')
    const url = `${serviceUrl()}/console/v1/workspaces/${account.slug}/deliveries/live`
    const streams = await Promise.all(
      Array.from({ length: STREAMS_PER_SESSION }, async () => {
        const request = http.get(url, { headers: { authorization: `Bearer ${key}` }, agent: false })
        const [response] = (await once(request, 'response')) as [http.IncomingMessage]
        return { request, status: response.statusCode }
      }),
    )
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200))
    const one = { key, params: { ws: account.ws } }
    await expectProblem('watchDeliveries', one, 429, 'too_many_streams')
    const elsewhere = { key: await signInAs(account, 'viewer'), params: { ws: account.ws } }
    expect((await call('watchDeliveries', elsewhere)).status).toBe(200)
    for (const { request } of streams) request.destroy()
  })
}
