import { once } from 'node:events'
import http from 'node:http'
import { expect, test } from 'vitest'
import { type Account, addKey, openAccount } from '../accounts.ts'
import { expectProblem } from '../expectProblem.ts'
import { ADS_WORDS } from '../samples/ads.ts'
import { addConsumer, type ConsumerWords, readConsumer } from '../samples/consumers.ts'
import { CONTENT_WORDS } from '../samples/content.ts'
import { call, done, QUOTAS, serviceUrl } from '../world.ts'

const SERVICES: [string, ConsumerWords][] = [
  ['content', CONTENT_WORDS],
  ['ads', ADS_WORDS],
]

const open = (name: string): Promise<Account> => openAccount(name as Account['service'])

/** Opens a stream and leaves it open. @returns a function that closes it */
async function hold(path: string, key: string): Promise<() => void> {
  const request = http.get(serviceUrl() + path, { headers: { authorization: `Bearer ${key}` }, agent: false })
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  expect(response.statusCode).toBe(200)
  return () => void request.destroy()
}

export function consumerStories(): void {
  test.each(SERVICES)('a consumer of %s gets every event in order, without a URL', async (name, words) => {
    const account = await open(name)
    const { title } = words
    const consumer = await addConsumer(words, account)
    const published: string[] = []
    for (let n = 0; n < 5; n++) published.push((await words.publish(account)).id)
    const seen: string[] = []
    while (seen.length < published.length) {
      const { events, ack } = await readConsumer(words, consumer)
      seen.push(...events.map(({ id }) => id))
      await done(`acknowledge${title}Events`, { ...consumer, json: { ack } })
    }
    expect(seen).toEqual(published)
    const page = await done<{ events: unknown[] }>(`read${title}Consumer`, consumer)
    expect(page.events).toEqual([])
  })

  test.each(SERVICES)('invalid operations on a consumer of %s are rejected', async (name, words) => {
    const account = await open(name)
    const { title, as } = words
    await words.publish(account)
    const consumer = await addConsumer(words, account)
    const json = { name: consumer.params!.name }
    await expectProblem(`create${title}Consumer`, { ...as(account), json }, 409, 'consumer_exists')
    const { ack } = await readConsumer(words, consumer)
    await done(`seek${title}Consumer`, { ...consumer, json: { start: 'oldest' } })
    const outdated = { ...consumer, json: { ack } }
    await expectProblem(`acknowledge${title}Events`, outdated, 409, 'acknowledgement_outdated')
    for (let made = 1; made < QUOTAS.consumers; made++) await addConsumer(words, account)
    const surplus = { ...as(account), json: { name: 'surplus' } }
    await expectProblem(`create${title}Consumer`, surplus, 409, 'consumer_limit_reached')
  })

  test.each(SERVICES)(
    'the number of concurrent readers of a workspace of %s is limited',
    async (name, words) => {
      const account = await open(name)
      const { title } = words
      const consumer = await addConsumer(words, account)
      const root = name === 'content' ? `/v1/workspaces/${account.ws}` : '/api/v1'
      const path = `${root}/consumers/${consumer.params!.name}/stream`
      const held = await Promise.all(Array.from({ length: QUOTAS.readers }, () => hold(path, account.key)))
      await expectProblem(`stream${title}Consumer`, consumer, 429, 'too_many_readers')
      const waiting = { ...consumer, query: { wait: 5 } }
      await expectProblem(`read${title}Consumer`, waiting, 429, 'too_many_readers')
      for (const close of held) close()
    },
  )

  test('a key that may not see event contents can still acknowledge events', async () => {
    const account = await openAccount('content')
    await CONTENT_WORDS.publish(account)
    const consumer = await addConsumer(CONTENT_WORDS, account)
    const { ack } = await readConsumer(CONTENT_WORDS, consumer)
    const { key } = await addKey(account, { scopes: ['webhooks'] })
    const page = await done<{ events: { body: unknown }[] }>('readContentConsumer', { ...consumer, key })
    expect(page.events.map(({ body }) => body)).toEqual([null])
    const { status } = await call('acknowledgeContentEvents', { ...consumer, key, json: { ack } })
    expect(status).toBe(200)
  })
}
