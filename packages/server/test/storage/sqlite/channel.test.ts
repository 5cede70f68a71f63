import { expect, test } from 'vitest'
import { Channel } from '../../../src/storage/sqlite/channel.ts'
import { StoreOpenError, StoreUnavailableError } from '../../../src/storage/storage.ts'

const SETTINGS = { role: 'writer', dataDir: '/nowhere', now: 0, maxPages: null, create: true } as const

/** A thread that sends a greeting and then runs `onMessage` for each message. */
function channelTo(
  onMessage: string,
  greeting = `{ kind: 'ready', idKey: [1, 2, 3, 4], routes: {} }`,
): Channel {
  const program = `
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', (message) => { ${onMessage} })
    parentPort.postMessage(${greeting})`
  return new Channel(SETTINGS, new URL(`data:text/javascript,${encodeURIComponent(program)}`))
}

test('calls of one turn of the event loop go in one message', async () => {
  const channel = channelTo(`
    if (message === null) return parentPort.close()
    const result = message.length
    parentPort.postMessage({ kind: 'replies', replies: message.map(({ id }) => ({ id, result })) })`)
  const calls = [1, 2, 3].map(() => channel.call('check', undefined))
  expect(await Promise.all(calls)).toEqual([3, 3, 3])
  expect(await channel.call('check', undefined)).toBe(1)
  await channel.close()
})

test('when the thread dies, running and later calls are rejected as unavailable', async () => {
  const channel = channelTo(`throw new Error('out of luck')`)
  await channel.ready()
  const settled = await Promise.allSettled([
    channel.call('check', undefined),
    channel.call('reserveEventIds', { count: 1 }),
  ])
  settled.push(...(await Promise.allSettled([channel.call('check', undefined)])))
  for (const call of settled)
    expect(call).toEqual({
      status: 'rejected',
      reason: new StoreUnavailableError('the writer thread failed: out of luck'),
    })
  expect(channel.ended).toBe(true)
  await channel.close()
})

test('a thread that exits silently is noticed as well', async () => {
  const channel = channelTo('process.exit()')
  await channel.ready()
  await expect(channel.call('check', undefined)).rejects.toThrow(StoreUnavailableError)
})

test('a call that cannot be sent fails without affecting others', async () => {
  const channel = channelTo(`
    if (message === null) return parentPort.close()
    parentPort.postMessage({ kind: 'replies', replies: message.map(({ id }) => ({ id, result: id })) })`)
  const unsendable = { count: (() => 1) as unknown as number }
  const settled = await Promise.allSettled([
    channel.call('check', undefined),
    channel.call('reserveEventIds', unsendable),
    channel.call('check', undefined),
  ])
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(settled[1]).not.toMatchObject({ reason: expect.any(StoreUnavailableError) })
  await channel.close()
})

test('a refusal to open is thrown as one', async () => {
  const channel = channelTo('', `{ kind: 'refused', message: 'in use' }`)
  await expect(channel.ready()).rejects.toEqual(new StoreOpenError('in use'))
})

test('a thread that cannot even start is a store that cannot be opened', async () => {
  const channel = new Channel(SETTINGS, new URL('data:text/javascript,throw new Error("no such file")'))
  await expect(channel.ready()).rejects.toEqual(new StoreOpenError('no such file'))
  await channel.close()
})
