import { createHmac, randomBytes } from 'node:crypto'
import { request } from 'node:https'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Certificates, makeCertificates } from '../src/receivers/certificate.ts'
import { forge } from '../src/receivers/forge.ts'
import { type Behavior, Receiver } from '../src/receivers/receiver.ts'
import { VERIFIERS } from '../src/receivers/verifiers.ts'

const BODY = '{"type":"plan.ready"}'
const key = randomBytes(32)
const secrets = { content: `whsec_${key.toString('base64')}`, ads: key.toString('base64url') }
const works: Behavior = () => ({ status: 200 })

let certificates: Certificates
let receiver: Receiver

beforeAll(async () => {
  certificates = await makeCertificates()
})

afterEach(async () => {
  await receiver.stop()
})

async function start(service: 'content' | 'ads', behavior: Behavior = works): Promise<string> {
  receiver = new Receiver({ verifier: VERIFIERS[service], certificates, behavior })
  receiver.useSecret(secrets[service])
  return receiver.start('hook')
}

function headersOf(service: 'content' | 'ads'): Record<string, string> {
  if (service === 'ads') {
    const digest = createHmac('sha256', secrets.ads).update(BODY).digest('hex')
    return { 'x-service-delivery': 'one', 'x-service-signature': `sha256=${digest}` }
  }
  const timestamp = String(Math.floor(Date.now() / 1000))
  const digest = createHmac('sha256', key).update(`evt_1.${timestamp}.${BODY}`).digest('base64')
  return { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${digest}` }
}

function post(url: string, headers: Record<string, string>, ca: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', ca, agent: false, headers }, (response) => {
      response.resume()
      resolve(response.statusCode!)
    })
    sent.on('error', reject)
    sent.end(BODY)
  })
}

describe.each(['content', 'ads'] as const)('a receiver of the %s service', (service) => {
  it('accepts requests signed with its secret and rejects a copy with one byte changed', async () => {
    const url = await start(service)
    expect(await post(url, headersOf(service), certificates.authority)).toBe(200)
    expect(receiver.requests[0]).toMatchObject({ verified: true, status: 200, json: { type: 'plan.ready' } })
    expect(await forge(url, receiver.requests[0]!, certificates.authority)).toBe(401)
    expect(receiver.requests[1]).toMatchObject({ verified: false, status: 401 })
  })

  it('rejects requests signed with another secret or not at all', async () => {
    const url = await start(service)
    receiver.useSecret(`whsec_${randomBytes(32).toString('base64')}`)
    expect(await post(url, headersOf(service), certificates.authority)).toBe(401)
    expect(await post(url, {}, certificates.authority)).toBe(401)
  })

  it('counts only verified requests for its next step', async () => {
    const url = await start(service, (nth) => ({ status: nth === 1 ? 503 : 200 }))
    expect(await post(url, {}, certificates.authority)).toBe(401)
    expect(await post(url, headersOf(service), certificates.authority)).toBe(503)
    expect(await post(url, headersOf(service), certificates.authority)).toBe(200)
  })
})

it('a receiver is trusted only through the authority created for the run', async () => {
  const url = await start('content')
  const stranger = await makeCertificates()
  await expect(post(url, headersOf('content'), stranger.authority)).rejects.toThrow()
  expect(receiver.requests).toEqual([])
})
