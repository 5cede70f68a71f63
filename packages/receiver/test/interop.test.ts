import { sign as octokitSign, verify as octokitVerify } from '@octokit/webhooks-methods'
import * as standardwebhooks from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  ADS_EVENT,
  CONTENT_EVENT,
  DELIVERY_ID,
  MESSAGE_ID,
  NOW_SECONDS,
  OTHER_STANDARD_SECRET,
  SERVICE_SECRET,
  STANDARD_SECRET,
  serviceHeaders,
  serviceReceiver,
  standardHeaders,
  standardReceiver,
} from './support.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: NOW_SECONDS * 1000, toFake: ['Date'] })
})

afterEach(() => {
  vi.useRealTimers()
})

describe.each([
  ['standardwebhooks', standardwebhooks.Webhook],
  ['svix', SvixWebhook],
])('%s', (_name, Library) => {
  const library = new Library(STANDARD_SECRET)
  const body = JSON.stringify(CONTENT_EVENT)

  test('verifies what we sign', () => {
    expect(library.verify(body, standardHeaders(body))).toEqual(CONTENT_EVENT)
  })

  test('verifies what we sign while a secret rotates', () => {
    const secrets = [OTHER_STANDARD_SECRET, STANDARD_SECRET]
    expect(library.verify(body, standardHeaders(body, { secrets }))).toEqual(CONTENT_EVENT)
  })

  test('signs what we verify', async () => {
    const headers = {
      'webhook-id': MESSAGE_ID,
      'webhook-timestamp': String(NOW_SECONDS),
      'webhook-signature': library.sign(MESSAGE_ID, new Date(NOW_SECONDS * 1000), body),
    }
    expect((await standardReceiver().verify(body, headers)).event).toEqual(CONTENT_EVENT)
  })

  test('rejects what we reject: another body', async () => {
    const headers = standardHeaders(body)
    expect(() => library.verify(`${body} `, headers)).toThrow()
    await expect(standardReceiver().verify(`${body} `, headers)).rejects.toThrow()
  })
})

describe('@octokit/webhooks-methods', () => {
  const body = JSON.stringify({ ...ADS_EVENT, payload: { from: 'active', to: 'paused', note: 'żółw 🐢' } })

  test('verifies what we sign', async () => {
    const { 'X-Service-Signature': signature } = serviceHeaders(body)
    expect(await octokitVerify(SERVICE_SECRET, body, signature)).toBe(true)
  })

  test('signs what we verify', async () => {
    const signature = await octokitSign(SERVICE_SECRET, body)
    const headers = { ...serviceHeaders(body), 'X-Service-Signature': signature }
    expect((await serviceReceiver().verify(body, headers)).deliveryId).toBe(DELIVERY_ID)
  })

  test('rejects what we reject: another body', async () => {
    const headers = serviceHeaders(body)
    expect(await octokitVerify(SERVICE_SECRET, `${body} `, headers['X-Service-Signature'])).toBe(false)
    await expect(serviceReceiver().verify(`${body} `, headers)).rejects.toThrow()
  })
})
