import { expect, test } from 'vitest'
import { ExchangeSlots } from '../../src/http/signIn/exchangeSlots.ts'

test('a client has 8 exchanges at a time, all clients have 20, and each that ended makes room', async () => {
  const slots = new ExchangeSlots()
  const busy = expect.objectContaining({ code: 'busy' })
  const ends: (() => void)[] = []
  const running: Promise<void>[] = []
  const wait = (client: string) => {
    running.push(slots.run(client, () => new Promise<void>((resolve) => ends.push(resolve))))
  }
  const quick = (client: string) => slots.run(client, async () => 'exchanged')
  for (let i = 0; i < 8; i++) wait('a')
  await expect(quick('a')).rejects.toEqual(busy)
  expect(await quick('b')).toBe('exchanged')
  for (let i = 0; i < 8; i++) wait('b')
  for (let i = 0; i < 4; i++) wait('c')
  await expect(quick('d')).rejects.toEqual(busy)
  ends.shift()!()
  await running.shift()
  expect(await quick('d')).toBe('exchanged')
  const failing = slots.run('a', () => Promise.reject(new Error('it fails')))
  await expect(failing).rejects.toThrow('it fails')
  expect(await quick('a')).toBe('exchanged')
  for (const end of ends) end()
  await Promise.all(running)
  expect(await Promise.all(Array.from({ length: 8 }, () => quick('a')))).toHaveLength(8)
})
