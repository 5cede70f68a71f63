import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts'
import { StoreUnavailableError } from '../../src/storage/storage.ts'
import { withCalls } from '../support/flatStorage.ts'
import { until } from '../support/until.ts'
import { Mailing } from './mailing.ts'

let mailing: Mailing

beforeEach(async () => {
  mailing = await Mailing.start()
})

afterEach(() => mailing.end())

describe('a mail server that rejects', () => {
  test('a recipient for good: it is not retried, and the reason is logged', async () => {
    mailing.recipient = () => ({ status: 550, text: 'No such mailbox' })
    await mailing.disableWebhooks()
    const mailer = mailing.mailer()
    await mailer.runOnce()
    mailing.clock.advance(24 * HOUR_MS)
    await mailer.runOnce()
    const [refused] = await mailing.notifications()
    expect(refused).toMatchObject({ attempts: 1, sentAt: null, givenUpAt: expect.any(Number) })
    expect(refused!.lastError).toContain('No such mailbox')
    expect(mailing.lines('e-mail failed; no further retry')).toHaveLength(1)
    expect(mailing.reports).toEqual(['webhook_off failed'])
  })

  test('a message for good: it is not retried', async () => {
    mailing.fate = { status: 554, text: 'Looks like spam' }
    await mailing.disableWebhooks()
    await mailing.mailer().runOnce()
    expect(mailing.reports).toEqual(['webhook_off failed'])
  })

  test('a recipient temporarily: it is retried, and others are sent in the meantime', async () => {
    const full = await mailing.createMember('full@example.com')
    mailing.recipient = (address) =>
      address === full.email ? { status: 452, text: 'Mailbox is full' } : null
    await mailing.createWebhook('Full', full)
    await mailing.disableWebhooks()
    await until(mailing.clock, 'both', async () => (await mailing.notifications()).length === 2)
    const mailer = mailing.mailer()
    await mailer.runOnce()
    expect(mailing.reports.sort()).toEqual(['webhook_off deferred', 'webhook_off sent'])
    mailing.recipient = () => null
    await mailer.runOnce()
    expect(mailing.server.accepted).toHaveLength(1)
    mailing.clock.advance(MINUTE_MS)
    await mailer.runOnce()
    expect(mailing.server.accepted.flatMap(({ to }) => to)).toContain(full.email)
  })

  test('for a day: it is retried that long and then abandoned', async () => {
    mailing.recipient = () => ({ status: 451, text: 'Not now' })
    await mailing.disableWebhooks()
    const mailer = mailing.mailer()
    const began = mailing.clock.now()
    let at = began
    while ((await mailing.notifications())[0]!.givenUpAt === null) {
      at = mailing.clock.now()
      await mailer.runOnce()
      mailing.clock.advance(MINUTE_MS)
    }
    expect(at - began).toBeGreaterThan(23 * HOUR_MS)
    expect(at - began).toBeLessThan(25 * HOUR_MS)
    expect(mailing.reports.at(-1)).toBe('webhook_off failed')
    expect((await mailing.notifications())[0]).toMatchObject({ attempts: 11 })
  })
})

describe('a failing mail server', () => {
  test('that is unavailable is logged once, and gets all waiting messages once it is back', async () => {
    const { server } = mailing
    await mailing.disableWebhooks(6)
    const mailer = mailing.mailer()
    await server.stop()
    for (let i = 0; i < 5; i++) {
      await mailer.runOnce()
      mailing.clock.advance(5 * SECOND_MS)
    }
    expect(mailing.lines('sending of e-mail failed')).toHaveLength(1)
    expect(mailing.log.filter(({ level }) => level !== 'info')).toHaveLength(1)
    await mailing.listen(server.port)
    await until(mailing.clock, 'all messages', async () => {
      await mailer.runOnce()
      mailing.clock.advance(10 * SECOND_MS)
      return mailing.server.accepted.length === 6
    })
    expect(mailing.lines('sending of e-mail works again')).toHaveLength(1)
    expect(new Set(mailing.server.accepted.map(({ messageId }) => messageId)).size).toBe(6)
  })

  test('that was unavailable and rejects the first message afterwards counts as available', async () => {
    const { server } = mailing
    await mailing.disableWebhooks(3)
    const mailer = mailing.mailer()
    await server.stop()
    await mailer.runOnce()
    await mailing.listen(server.port)
    mailing.recipient = () => ({ status: 550, text: 'No such mailbox' })
    mailing.clock.advance(MINUTE_MS)
    await mailer.runOnce()
    expect(mailing.lines('sending of e-mail works again')).toHaveLength(1)
    // The first one succeeded; the others were then sent together.
    expect(
      mailing.reports.filter((reports) => reports === 'webhook_off failed').length,
    ).toBeGreaterThanOrEqual(1)
  })

  test('that disconnects after a message gets the same one again', async () => {
    await mailing.disableWebhooks()
    const mailer = mailing.mailer()
    mailing.fate = 'drop'
    await mailer.runOnce()
    expect(mailing.reports).toEqual(['webhook_off deferred'])
    mailing.fate = 'accept'
    mailing.clock.advance(MINUTE_MS)
    await mailer.runOnce()
    const [first, second] = mailing.server.arrived
    expect(mailing.server.accepted).toEqual([second])
    expect(second!.messageId).toBe(first!.messageId)
    expect(second!.raw).toBe(first!.raw)
  })

  test('that is slow keeps its message, which no other node sends in the meantime; finally it is abandoned', async () => {
    await mailing.disableWebhooks()
    mailing.fate = 'hang'
    const mailer = mailing.mailer()
    const other = mailing.mailer()
    const began = mailing.clock.now()
    let underWay = true
    const round = mailer.runOnce().then(() => {
      underWay = false
    })
    await until(mailing.clock, 'the message', () => mailing.server.arrived.length === 1)
    await until(mailing.clock, 'the end', async () => {
      await other.runOnce()
      mailing.clock.advance(2 * SECOND_MS)
      return !underWay
    })
    await round
    expect(mailing.clock.now() - began).toBeGreaterThan(4 * MINUTE_MS)
    expect(mailing.server.arrived).toHaveLength(1)
    expect(mailing.lines('sending of e-mail failed')[0]!.fields).toMatchObject({
      err: expect.objectContaining({ message: 'the mail server did not finish in time' }),
    })
  })

  test('is abandoned when the store cannot record that the message is still being sent', async () => {
    await mailing.disableWebhooks()
    mailing.fate = 'hang'
    const renewNotification = () => Promise.reject(new StoreUnavailableError('away'))
    const mailer = mailing.mailer({ storage: withCalls(mailing.storage, { renewNotification }) })
    const round = mailer.runOnce()
    await until(mailing.clock, 'the message', () => mailing.server.arrived.length === 1)
    mailing.clock.advance(30 * SECOND_MS)
    await round
    expect(mailing.lines('sending of e-mail failed')[0]!.fields).toMatchObject({
      err: expect.objectContaining({ message: expect.stringContaining('the store was unavailable') }),
    })
  })

  test('does not delay a stop', async () => {
    await mailing.disableWebhooks()
    mailing.fate = 'hang'
    const mailer = mailing.mailer()
    mailer.start()
    await until(mailing.clock, 'the message', () => mailing.server.arrived.length === 1)
    const stopped = mailer.stop()
    mailing.clock.advance(15 * SECOND_MS)
    await stopped
    expect(mailing.reports).toEqual(['webhook_off deferred'])
  })

  test('a message being sent is finished, and recorded, before a stop ends', async () => {
    await mailing.disableWebhooks(5)
    let answer: () => void = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    mailing.fate = async () => {
      await answered
      return 'accept'
    }
    const mailer = mailing.mailer()
    mailer.start()
    await until(mailing.clock, 'messages', () => mailing.server.arrived.length === 4)
    const stopped = mailer.stop()
    answer()
    await stopped
    const sent = (await mailing.notifications()).filter(({ sentAt }) => sentAt !== null)
    expect(sent).toHaveLength(4)
    expect(mailing.server.arrived).toHaveLength(4)
  })
})

describe('a failing store', () => {
  test('that cannot record a sent message gets the record later, and nothing is sent twice', async () => {
    await mailing.disableWebhooks()
    let away = true
    const storage = withCalls(mailing.storage, {
      settleNotification: (params) =>
        away ? Promise.reject(new StoreUnavailableError('away')) : mailing.storage.settleNotification(params),
    })
    const mailer = mailing.mailer({ storage })
    await mailer.runOnce()
    // The claim expires in the meantime; this node knows better.
    mailing.clock.advance(10 * MINUTE_MS)
    await mailer.runOnce()
    expect(mailing.server.arrived).toHaveLength(1)
    away = false
    await mailer.runOnce()
    await mailer.runOnce()
    expect(mailing.server.arrived).toHaveLength(1)
    expect(await mailing.notifications()).toMatchObject([{ sentAt: expect.any(Number) }])
    expect(mailing.lines('the store is unavailable')).toHaveLength(1)
  })

  test('a claim of a node that died before sending is taken over once it has expired', async () => {
    await mailing.disableWebhooks()
    const claim = { claim: 'dead', claimMs: 3 * MINUTE_MS, now: mailing.clock.now(), limit: 1 }
    await mailing.storage.claimNotifications(claim)
    const mailer = mailing.mailer()
    await mailer.runOnce()
    expect(mailing.server.arrived).toEqual([])
    mailing.clock.advance(3 * MINUTE_MS)
    await mailer.runOnce()
    expect(mailing.server.accepted).toHaveLength(1)
  })

  test('a node that comes back after another took over reports that, and changes nothing', async () => {
    await mailing.disableWebhooks()
    const storage = withCalls(mailing.storage, {
      async settleNotification(params) {
        mailing.clock.advance(3 * MINUTE_MS)
        const claim = { claim: 'other', claimMs: MINUTE_MS, now: mailing.clock.now(), limit: 1 }
        await mailing.storage.claimNotifications(claim)
        return mailing.storage.settleNotification(params)
      },
    })
    await mailing.mailer({ storage }).runOnce()
    expect(mailing.lines('e-mail sent after its claim')).toHaveLength(1)
    expect(await mailing.notifications()).toMatchObject([{ sentAt: null }])
  })
})
