import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/core/duration.ts'
import { sealSignInToken } from '../../src/engine/manage/signInTokens.ts'
import { withCalls } from '../support/flatStorage.ts'
import { passTime } from '../support/passTime.ts'
import { until } from '../support/until.ts'
import { Mailing } from './mailing.ts'

let mailing: Mailing

beforeEach(async () => {
  mailing = await Mailing.start()
})

afterEach(() => mailing.end())

describe('sent e-mails', () => {
  test('a webhook that answers 410 is reported once to the member who created it', async () => {
    const { member, server, workspace } = mailing
    await mailing.disableWebhooks()
    // The store shows the notification a moment before the engine learns that it was written.
    await until(mailing.clock, 'the wake-up', () => mailing.wakes > 0)
    const mailer = mailing.mailer()
    await mailer.runOnce()
    await mailer.runOnce()
    expect(mailing.wakes).toBe(1)
    const [sent] = await mailing.notifications()
    expect(server.accepted).toHaveLength(1)
    const [mail] = server.accepted
    expect(mail!.to).toEqual([member.email])
    expect(Object.fromEntries(mail!.headers)).toMatchObject({
      from: 'Posthorn <posthorn@example.com>',
      to: `Olga Owner <${member.email}>`,
      subject: 'Webhook disabled: Webhook 0',
      date: expect.stringMatching(/^[A-Z][a-z]{2}, \d\d Jan 2026 \d\d:\d\d:\d\d \+0000$/),
      'message-id': `<${sent!.messageKey}@example.com>`,
      'auto-submitted': 'auto-generated',
    })
    const link = `https://hooks.example.com/w/${workspace.slug}/webhooks/${sent!.data.webhook_public_id}`
    for (const body of [mail!.text, mail!.html]) {
      expect(body).toContain(link)
      expect(body).toContain('answered 410 Gone')
      expect(body).toContain('HTTP 410')
    }
    expect(sent).toMatchObject({ sentAt: expect.any(Number), attempts: 1 })
    expect(mailing.lines('e-mail sent')).toHaveLength(1)
    expect(mailing.reports).toEqual(['webhook_off sent'])
    expect(mailing.waiting).toBe(0)
  })

  test('a webhook that fails for 24 h leads to a warning and then a message that it is disabled, and no other', async () => {
    const { clock, receiver, server } = mailing
    receiver.answer((response) => response.writeHead(500).end())
    const mailer = mailing.mailer()
    const webhook = await mailing.createWebhook('Orders')
    const began = clock.now()
    for (let hour = 1; server.accepted.length < 2; hour++) {
      await mailing.publish()
      await mailer.runOnce()
      clock.advance(began + hour * HOUR_MS - clock.now())
    }
    clock.advance(24 * HOUR_MS)
    await mailer.runOnce()
    expect(server.accepted.map(({ headers }) => headers.get('subject'))).toEqual([
      'Webhook keeps failing: Orders',
      'Webhook disabled: Orders',
    ])
    expect(new Set(server.arrived.map(({ messageId }) => messageId)).size).toBe(2)
    const [warning, off] = server.accepted
    expect(warning!.text).toMatch(/If no delivery succeeds until 2026-01-06 09:0\d UTC, it is disabled/)
    expect(warning!.text).toContain(`/w/${mailing.workspace.slug}/settings`)
    expect(off!.text).toContain('all attempts to deliver to it failed for too long')
    expect(off!.text).toMatch(/Failing since: 2026-01-05 09:0\d UTC/)
    expect(off!.text).toContain(webhook.url)
  })

  test('many are each sent once, whichever node sends them', async () => {
    await mailing.disableWebhooks(15)
    const mailers = [mailing.mailer(), mailing.mailer(), mailing.mailer()]
    for (let round = 0; round < 4; round++) await Promise.all(mailers.map((mailer) => mailer.runOnce()))
    expect(mailing.server.arrived).toHaveLength(15)
    expect(new Set(mailing.server.arrived.map(({ messageId }) => messageId)).size).toBe(15)
    expect(mailing.waiting).toBe(0)
  })

  test('one is sent as soon as it is created when the loop runs', async () => {
    const mailer = mailing.mailer()
    mailer.start()
    await mailing.disableWebhooks()
    mailer.wake()
    await until(mailing.clock, 'the message', () => mailing.server.accepted.length === 1)
    await mailer.stop()
  })
})

describe('a sign-in link', () => {
  const TOKEN = 'phl_0123456789'

  async function ask(toEmail = 'anna@example.com', sealedFor = toEmail): Promise<void> {
    const { storage, service, clock } = mailing
    const now = clock.now()
    const sealed = sealSignInToken(service.secretBox, TOKEN, sealedFor)
    const hash = Buffer.from(toEmail)
    const notice = { toEmail, sealed }
    const expiresAt = now + 15 * MINUTE_MS
    const params = { madeBy: null, email: toEmail, hash, limit: null, notice, expiresAt, now }
    expect(await storage.createSignInLink(params)).toMatchObject({ outcome: 'created' })
  }

  test('goes to its email address, before all others, and is in no log', async () => {
    await mailing.disableWebhooks(6)
    await ask()
    const mailer = mailing.mailer()
    await mailer.runOnce()
    expect(mailing.server.accepted).toHaveLength(4)
    const [mail] = mailing.server.accepted.filter(({ to }) => to[0] === 'anna@example.com')
    expect(mail!.text).toContain(`https://hooks.example.com/sign-in#${TOKEN}\n`)
    expect(mail!.html).toContain(`href="https://hooks.example.com/sign-in#${TOKEN}"`)
    expect(mail!.headers.get('subject')).toBe('Your sign-in link for Posthorn')
    expect(JSON.stringify(mailing.log)).not.toContain(TOKEN)
    expect(JSON.stringify(await mailing.notifications())).not.toContain(TOKEN)
  })

  test('is retried soon, and not once it has expired', async () => {
    const { server, clock } = mailing
    mailing.recipient = () => ({ status: 450, text: 'Greylisted' })
    await ask()
    const mailer = mailing.mailer()
    await mailer.runOnce()
    clock.advance(10 * SECOND_MS)
    await mailer.runOnce()
    expect((await mailing.notifications())[0]).toMatchObject({ attempts: 2, givenUpAt: null })
    for (let minute = 0; minute < 20; minute++) {
      clock.advance(MINUTE_MS)
      await mailer.runOnce()
    }
    mailing.recipient = () => null
    await mailer.runOnce()
    expect(server.arrived).toEqual([])
    expect(mailing.reports.at(-1)).toBe('sign_in failed')
  })

  test('that has expired before it could be sent is not sent', async () => {
    await ask()
    mailing.clock.advance(15 * MINUTE_MS)
    await mailing.mailer().runOnce()
    expect(mailing.server.arrived).toEqual([])
    expect(mailing.reports).toEqual(['sign_in unwanted'])
  })

  test('is not sent to another address than it was encrypted for', async () => {
    await ask('mallory@example.com', 'anna@example.com')
    await mailing.mailer().runOnce()
    expect(mailing.server.arrived).toEqual([])
    expect(mailing.reports).toEqual(['sign_in unwanted'])
  })
})

describe('e-mails that are not sent', () => {
  async function warn(): Promise<void> {
    mailing.receiver.answer((response) => response.writeHead(500).end())
    await mailing.createWebhook()
    await mailing.publish()
    await passTime(mailing.clock, mailing.storage, 12 * HOUR_MS)
    await mailing.publish()
    await until(mailing.clock, 'a warning', async () => (await mailing.notifications()).length === 1)
  }

  test('a warning to a member who disabled warnings', async () => {
    await warn()
    const { workspaceId, publicId } = mailing.member
    await mailing.storage.updatePreferences({ workspaceId, publicId, changes: { failingWarnings: false } })
    await mailing.mailer().runOnce()
    expect(mailing.server.arrived).toEqual([])
    expect(mailing.reports).toEqual(['webhook_failing unwanted'])
  })

  test('a warning about a webhook that recovered', async () => {
    await warn()
    mailing.receiver.answer((response) => response.end())
    await mailing.publish()
    await mailing.mailer().runOnce()
    expect(mailing.server.arrived).toEqual([])
    expect(mailing.reports).toEqual(['webhook_failing unwanted'])
  })

  test('the fourth message about disabling one webhook within an hour, if its owner causes it', async () => {
    const { storage } = mailing
    await mailing.disableWebhooks(2)
    let offs = 2
    const claimNotifications: typeof storage.claimNotifications = async (params) => {
      const { notifications, waiting } = await storage.claimNotifications(params)
      return { notifications: notifications.map((one) => ({ ...one, recentOffs: offs++ })), waiting }
    }
    await mailing.mailer({ storage: withCalls(storage, { claimNotifications }) }).runOnce()
    expect(mailing.server.arrived).toHaveLength(1)
    expect([...mailing.reports].sort()).toEqual(['webhook_off sent', 'webhook_off unwanted'])
  })

  test('any to a removed member; but members without warnings learn that a webhook is disabled', async () => {
    const { workspaceId, publicId } = mailing.member
    await mailing.storage.updatePreferences({ workspaceId, publicId, changes: { failingWarnings: false } })
    await mailing.disableWebhooks()
    const mailer = mailing.mailer()
    await mailer.runOnce()
    await mailing.disableWebhooks()
    await mailing.storage.deleteMember({ workspaceId, publicId, now: mailing.clock.now() })
    await mailer.runOnce()
    expect(mailing.server.arrived).toHaveLength(1)
    expect(mailing.reports).toEqual(['webhook_off sent', 'webhook_off unwanted'])
    expect(mailing.lines('e-mail not sent')).toHaveLength(1)
    const [gone] = await mailing.notifications()
    expect(gone).toMatchObject({ sentAt: null, givenUpAt: expect.any(Number) })
  })
})
