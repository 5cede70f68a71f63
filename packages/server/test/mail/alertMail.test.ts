import { describe, expect, it } from 'vitest'
import { composeAlertMail } from '../../src/mail/alertMail.ts'
import { renderHtml, renderText } from '../../src/mail/render.ts'

const links = { publicUrl: 'https://posthorn.example', disableAfterMs: () => null, recovery: () => null }
const workspace = { slug: 'acme', name: 'Acme', dialect: 'content' }
const FAILING = {
  state: 'failing',
  webhook_public_id: 'wh_1',
  url: 'https://receiver.example.com/hook',
  description: 'Orders',
  since: Date.UTC(2026, 2, 2, 9, 14),
  reason: 'consecutive_failures',
  failures_in_a_row: 5,
  deliveries: null,
  last_error: {
    at: 0,
    error_code: 'http_status',
    error_message: 'The receiver answered 503.',
    status_code: 503,
  },
}
const compose = (webhooks: readonly object[], failing: number, recovered: number) =>
  composeAlertMail({ data: { webhooks, failing, recovered }, workspace }, links)

describe('an e-mail of early warnings', () => {
  it('about one webhook names it, and links to it', () => {
    const { subject, blocks } = compose([FAILING], 1, 0)
    expect(subject).toBe('Webhook is failing: Orders')
    const text = renderText(blocks)
    expect(text).toContain('5 attempts failed in a row, since 2026-03-02 09:14 UTC.')
    expect(text).toContain('HTTP 503. The receiver answered 503.')
    expect(text).toContain('https://posthorn.example/w/acme/webhooks/wh_1')
    expect(text).toContain('https://posthorn.example/w/acme/settings')
    expect(text).toContain('These webhooks are still enabled, and their deliveries are retried.')
  })

  it('about many counts those that it does not name, and links to the list', () => {
    const share = { ...FAILING, description: '', deliveries: { attempted: 12, failed: 7 } }
    const { subject, blocks } = compose([FAILING, share, { ...FAILING, state: 'recovered' }], 1_000, 2)
    expect(subject).toBe('1000 webhooks of Acme are failing')
    const text = renderText(blocks)
    expect(text).toContain('1000 webhooks are failing and 2 webhooks recovered')
    expect(text).toContain("7 of the last hour's 12 deliveries failed")
    expect(text).toContain('And 999 more')
    expect(text).toContain('https://posthorn.example/w/acme/webhooks\n')
  })

  it('about a recovery says since when it had been failing, without advice', () => {
    const { subject, blocks } = compose([{ ...FAILING, state: 'recovered', last_error: null }], 0, 1)
    expect(subject).toBe('Webhook recovered: Orders')
    expect(renderText(blocks)).toContain('It had been failing since 2026-03-02 09:14 UTC.')
    expect(renderText(blocks)).not.toContain('What this means')
  })

  it("shows owners' texts as text", () => {
    const { blocks, subject } = compose([{ ...FAILING, description: '<b>Orders</b>' }], 1, 0)
    expect(renderHtml(subject, blocks)).not.toContain('<b>Orders</b>')
  })
})
