import { expect, test } from 'vitest'
import { readMail } from '../../../../harness/src/mail/message.ts'
import { renderHtml, renderText } from '../../src/mail/render.ts'
import { shown, shownInSubject } from '../../src/mail/shown.ts'
import { composeSignInMail } from '../../src/mail/signInMail.ts'
import { composeWebhookMail } from '../../src/mail/webhookMail.ts'
import { LINKS } from './mailing.ts'

const AT = Date.UTC(2026, 0, 6, 9, 30)
const HOSTILE = `"><img src=x onerror=alert(1)>'&amp;</title><script>alert(1)</script>`

function composed(
  kind: 'webhook_off' | 'webhook_failing',
  changes: Record<string, unknown> = {},
  links = LINKS,
) {
  const data = {
    webhook_public_id: 'wh_1',
    url: 'https://receiver.example.com/hook',
    description: 'Orders',
    reason: kind === 'webhook_off' ? 'failing' : null,
    failing_since: AT - 86_400_000,
    last_errors: [
      { at: AT, error_code: 'http_status', error_message: 'The receiver answered 500.', status_code: 500 },
      { at: AT - 60_000, error_code: 'timeout', error_message: 'No answer in time.', status_code: null },
    ],
    ...changes,
  }
  return composeWebhookMail(
    { kind, data, createdAt: AT, workspace: { slug: 'shop', name: 'The Shop', dialect: 'content' } },
    links,
  )
}

test('a disabling tells what happened, since when, the errors, the consequences and where to go', () => {
  const { subject, blocks } = composed('webhook_off')
  expect(subject).toBe('Webhook disabled: Orders')
  expect(
    renderText(blocks),
  ).toBe(`One of your webhooks was disabled because all attempts to deliver to it failed for too long.

Webhook: Orders
URL: https://receiver.example.com/hook
Workspace: The Shop
Failing since: 2026-01-05 09:30 UTC
Disabled: 2026-01-06 09:30 UTC

The last errors:

- 2026-01-06 09:30 UTC, HTTP 500
  The receiver answered 500.
- 2026-01-06 09:29 UTC, timeout
  No answer in time.

What this means:

Nothing is sent to it until you enable it again. Fix the receiver first.

Pending deliveries were canceled. After you enable the webhook, use Recover to send them again. Events that are published while it is disabled are skipped. You can read them from the events API.

Open the webhook:
https://hooks.example.com/w/shop/webhooks/wh_1

-- 
You get this because you added the webhook, or because an API key that was created for you added it.
`)
})

test('a disabled webhook of a service that recovers missed events gets them by Recover; one without recoveries, nothing', () => {
  const textFor = (recovery: { missed: boolean } | null) => {
    const links = { ...LINKS, recovery: () => recovery } as typeof LINKS
    return renderText(composed('webhook_off', {}, links).blocks)
  }
  expect(textFor({ missed: true })).toContain(
    'use Recover to send them again. Recover also sends the events that were published while the webhook was disabled.',
  )
  expect(textFor(null)).not.toContain('Recover')
})

test('a warning tells when the webhook will be disabled, and how to stop warnings', () => {
  const text = renderText(composed('webhook_failing').blocks)
  expect(text).toContain('until 2026-01-06 09:30 UTC, it is disabled')
  expect(text).toContain('https://hooks.example.com/w/shop/settings')
  expect(text).not.toContain('Disabled:')
})

test('a webhook without a description is named by its URL', () => {
  const { subject, blocks } = composed('webhook_off', { description: '' })
  expect(subject).toBe('Webhook disabled: https://receiver.example.com/hook')
  expect(renderText(blocks)).not.toContain('Webhook:')
})

test('texts of people cannot leave their place in the HTML', () => {
  const error = { at: AT, error_code: HOSTILE, error_message: HOSTILE, status_code: null }
  const changes = { description: HOSTILE, url: HOSTILE, webhook_public_id: HOSTILE, last_errors: [error] }
  const plain = composed('webhook_off')
  const { subject, blocks } = composed('webhook_off', changes)
  const html = renderHtml(subject, blocks)
  // The same elements, whatever their text: one item fewer, since there is one error fewer.
  const tags = (text: string) => text.match(/<[^>]*>/g)!.map((tag) => tag.replace(/href="[^"]*"/, 'href'))
  const expected = tags(renderHtml(plain.subject, plain.blocks))
  const item = expected.findIndex((tag) => tag.startsWith('<li'))
  expected.splice(item, expected.findIndex((tag, i) => i > item && tag.startsWith('<li')) - item)
  expect(tags(html)).toEqual(expected)
  expect(html).toContain('&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&#39;&amp;amp;')
})

test('the HTML loads nothing and sets no color', () => {
  const html = renderHtml('t', composed('webhook_failing').blocks)
  expect(html).not.toMatch(/src=|url\(|@import|<link|<script|background|[^-]color:/)
})

test('control and bidirectional characters are shown by name', () => {
  expect(shown('a\u202eb\r\nBcc: x@example.com\u0000\u2028c\u2066')).toBe(
    'a\ufffdb Bcc: x@example.com c\ufffd',
  )
  expect(shownInSubject(`${'𝔸'.repeat(200)}`)).toBe(`${'𝔸'.repeat(149)}…`)
  const { subject, blocks } = composed('webhook_off', { description: 'x\r\nBcc: y@example.com\u202e' })
  expect(subject).toBe('Webhook disabled: x Bcc: y@example.com\ufffd')
  expect(renderText(blocks)).toContain('Webhook: x Bcc: y@example.com\ufffd\n')
})

test('a sign-in link says how long it is valid', () => {
  const times = { createdAt: AT, expiresAt: AT + 15 * 60_000 }
  const text = renderText(composeSignInMail('phl_a/b', times, LINKS.publicUrl).blocks)
  expect(text).toContain('https://hooks.example.com/sign-in#phl_a%2Fb')
  expect(text).toContain('works once, for 15 minutes: until 2026-01-06 09:45 UTC')
})

test('a message that is not of text and HTML is rejected', () => {
  expect(() => readMail('Subject: x\r\n\r\nhello')).toThrow('no message of alternatives')
})
