import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type Fate, MailServer, type MailServerOptions } from '../../../../harness/src/mail/mailServer.ts'
import { readMail } from '../../../../harness/src/mail/message.ts'
import { makeLoopbackIdentity } from '../../../../harness/src/receivers/certificate.ts'
import { paragraph } from '../../src/mail/blocks.ts'
import { fileTransport } from '../../src/mail/files.ts'
import { DeferredError, type Mail, RefusedError } from '../../src/mail/mail.ts'
import { parseSender } from '../../src/mail/sender.ts'
import { smtpTransport } from '../../src/mail/smtp.ts'
import { parseSmtpUrl, type SmtpServer } from '../../src/mail/smtpUrl.ts'
import { FROM } from './mailing.ts'

const MAIL: Mail = {
  key: '0123456789abcdef0123456789abcdef',
  createdAt: Date.UTC(2026, 0, 5, 9),
  kind: 'webhook_off',
  to: { name: 'Zoë "Z" <Owner>\r\nBcc: x@example.com', address: 'zoe@example.com' },
  subject: 'Webhook disabled: Größe – 東京',
  blocks: [paragraph('.\nA line that begins with a dot, and Größe – 東京.')],
}
const ACCOUNT = { user: 'po@st', pass: 'p/a:ss%' }
const never = new AbortController().signal

const ends: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function startServer(options: MailServerOptions = {}): Promise<MailServer> {
  const server = await MailServer.start(options)
  ends.push(() => server.stop())
  return server
}

const at = (server: MailServer, changes: Partial<SmtpServer> = {}): SmtpServer => ({
  host: '127.0.0.1',
  port: server.port,
  secure: false,
  auth: null,
  ...changes,
})

describe('by SMTP', () => {
  test('a message arrives unchanged, with names and subject in any letters and in one line', async () => {
    const server = await startServer()
    await smtpTransport(at(server), FROM).send(MAIL, never)
    const [mail] = server.accepted
    expect(mail!.to).toEqual(['zoe@example.com'])
    expect(mail!.headers.get('subject')).toBe(MAIL.subject)
    expect(mail!.headers.get('bcc')).toBeUndefined()
    expect(mail!.headers.get('date')).toBe('Mon, 05 Jan 2026 09:00:00 +0000')
    expect(mail!.messageId).toBe('<0123456789abcdef0123456789abcdef@example.com>')
    expect(mail!.text).toBe('. A line that begins with a dot, and Größe – 東京.\n')
    expect(mail!.html).toContain('Größe – 東京')
  })

  test('credentials are sent only over TLS', async () => {
    const identity = await makeLoopbackIdentity()
    const server = await startServer({ identity, account: ACCOUNT })
    const { auth } = parseSmtpUrl('smtp://po%40st:p%2Fa%3Ass%25@mail.example.com')!
    await smtpTransport(at(server, { auth }), FROM, { ca: identity.cert }).send(MAIL, never)
    expect(server.accepted).toMatchObject([{ secure: true, user: ACCOUNT.user }])
    await expect(smtpTransport(at(server, { auth }), FROM).send(MAIL, never)).rejects.toThrow('certificate')
    const plain = await startServer({ account: ACCOUNT })
    // The same machine by an address that does not look local.
    const elsewhere = at(plain, { auth, host: '::ffff:127.0.0.1' })
    await expect(smtpTransport(elsewhere, FROM).send(MAIL, never)).rejects.toThrow('STARTTLS')
    expect(plain.arrived).toEqual([])
  })

  test('a wrong password is a server failure, and is not shown', async () => {
    const identity = await makeLoopbackIdentity()
    const server = await startServer({ identity, account: ACCOUNT })
    const auth = { user: ACCOUNT.user, pass: 'no such account' }
    const sent = smtpTransport(at(server, { auth }), FROM, { ca: identity.cert }).send(MAIL, never)
    const error = await sent.catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'Error', message: expect.stringContaining('535') })
    expect(JSON.stringify(error) + String(error)).not.toContain(auth.pass)
  })

  test.each([
    ['of the recipient, for good', { onRecipient: () => ({ status: 550, text: 'no' }) }, RefusedError],
    ['of the recipient, for now', { onRecipient: () => ({ status: 450, text: 'no' }) }, DeferredError],
    ['of the message, for good', { onMessage: () => ({ status: 552, text: 'no' }) }, RefusedError],
    ['of the message, for now', { onMessage: () => ({ status: 451, text: 'no' }) }, DeferredError],
  ] as const)('a rejection %s is permanent', async (_, options, type) => {
    const server = await startServer(options)
    await expect(smtpTransport(at(server), FROM).send(MAIL, never)).rejects.toBeInstanceOf(type)
  })

  test.each([
    ['goes away', { onMessage: (): Fate => ({ status: 421, text: 'closing' }) }],
    ['breaks off', { onMessage: (): Fate => 'drop' }],
  ] as const)('a server that %s is failing, and the message is not at fault', async (_, options) => {
    const server = await startServer(options)
    const sent = smtpTransport(at(server), FROM).send(MAIL, never)
    await expect(sent).rejects.toMatchObject({ name: 'Error' })
  })

  test('an impossible address is rejected', async () => {
    const server = await startServer()
    const to = { name: '', address: 'a@b>\r\nRCPT TO:<c@d' }
    const sent = smtpTransport(at(server), FROM).send({ ...MAIL, to }, never)
    await sent.catch(() => {})
    expect(server.arrived.flatMap((mail) => mail.to)).not.toContain('c@d')
  })
})

describe('as files', () => {
  function makeDirectory(): string {
    const directory = mkdtempSync(path.join(tmpdir(), 'posthorn-mail-'))
    ends.push(() => rmSync(directory, { recursive: true }))
    return directory
  }

  test('a message is one complete file that only its owner may read, and the same file when written again', async () => {
    const directory = path.join(makeDirectory(), 'data', 'emails')
    const transport = fileTransport(directory, FROM)
    const details = await transport.send(MAIL, never)
    const name = '2026-01-05T09-00-00.000Z-webhook_off-0123456789abcdef0123456789abcdef.eml'
    const file = path.join(directory, name)
    expect(details).toEqual({ file })
    const written = readFileSync(file, 'utf8')
    expect(readMail(written).headers.get('subject')).toBe(MAIL.subject)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    await transport.send(MAIL, never)
    expect(readdirSync(directory)).toEqual([name])
    expect(readFileSync(file, 'utf8')).toBe(written)
  })

  test('an unwritable message is a failure, and leaves nothing that looks like a message', async () => {
    const file = path.join(makeDirectory(), 'taken')
    writeFileSync(file, '')
    await expect(fileTransport(file, FROM).send(MAIL, never)).rejects.toMatchObject({ name: 'Error' })
  })
})

describe('settings', () => {
  test.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, secure: false, auth: null }],
    ['smtps://mail.example.com/', { host: 'mail.example.com', port: 465, secure: true, auth: null }],
    ['smtp://127.0.0.1:2525', { host: '127.0.0.1', port: 2525, secure: false, auth: null }],
    ['smtp://[::1]:25', { host: '::1', port: 25, secure: false, auth: null }],
    ['smtps://a%40b:c%3Ad%25@h:1', { host: 'h', port: 1, secure: true, auth: { user: 'a@b', pass: 'c:d%' } }],
  ])('%s is a mail server', (text, server) => {
    expect(parseSmtpUrl(text)).toEqual(server)
  })

  test.each([
    'mail.example.com',
    'http://mail.example.com',
    'smtp://',
    'smtp://user@host',
    'smtp://:pass@host',
    'smtp://user:100%@host',
    'smtp://host/path',
    'smtp://host?tls=no',
    'smtp://host#x',
    'smtp://ho st',
    'smtp://host:99999',
  ])('%s is invalid', (text) => {
    expect(parseSmtpUrl(text)).toBeNull()
  })

  test.each([
    ['a@example.com', { name: '', address: 'a@example.com' }],
    ['Posthorn <a@example.com>', { name: 'Posthorn', address: 'a@example.com' }],
    [' <a@example.com> ', { name: '', address: 'a@example.com' }],
  ])('%s is a sender', (text, sender) => {
    expect(parseSender(text)).toEqual(sender)
  })

  test.each(['', 'Posthorn', 'a@b@c', 'a b@c', 'A <a@b> <c@d>', 'A\r\nBcc: x <a@b>', '"A" <a@b>'])(
    '%j is invalid',
    (text) => {
      expect(parseSender(text)).toBeNull()
    },
  )
})
