import { createHmac } from 'node:crypto'

export type Headers = Readonly<Record<string, string>>

/** The signature scheme of a service, defined here independently of the product. */
export interface SignedService {
  readonly dialect: string
  /** `null`: it is built in. */
  readonly profile: object | null
  /** Whether a time is signed. */
  readonly isTimed: boolean
  /** Whether a request can have several signatures. */
  readonly hasSeveral: boolean
  /** Languages whose standard library cannot verify it. */
  readonly languagesWithout: readonly string[]
  /** A secret of another webhook. */
  readonly other: string
  /** @param at time of the signature, in Unix seconds */
  headers(secrets: readonly string[], body: Buffer, at: number): Headers
}

const base64Of = (secret: string) => Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64')

const CONTENT: SignedService = {
  dialect: 'content',
  profile: null,
  isTimed: true,
  hasSeveral: true,
  languagesWithout: [],
  other: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  headers: (secrets, body, at) => ({
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(at),
    'webhook-signature': secrets
      .map((secret) =>
        createHmac('sha256', base64Of(secret)).update(`evt_1.${at}.`).update(body).digest('base64'),
      )
      .map((signature) => `v1,${signature}`)
      .join(' '),
  }),
}

const ADS: SignedService = {
  dialect: 'ads',
  profile: null,
  isTimed: false,
  hasSeveral: false,
  languagesWithout: [],
  other: 'x'.repeat(43),
  headers: ([secret], body) => ({
    'x-service-event': 'campaign.status_changed.v1',
    'x-service-delivery': '01941f29-7c00-7aaa-8bbb-0123456789ab',
    'x-service-signature': `sha256=${createHmac('sha256', secret!).update(body).digest('hex')}`,
  }),
}

/** Signs as Stripe does. */
const BILLING: SignedService = {
  dialect: 'billing',
  profile: {
    profile: 1,
    name: 'billing',
    title: 'Billing',
    envelope: {
      members: [
        { path: 'id', field: 'id' },
        { path: 'created', field: 'time', as: 'unix-s' },
        { path: 'type', field: 'type' },
        { path: 'data.object', field: 'data' },
      ],
    },
    headers: { 'Billing-Signature': 't={timestamp},{signatures}' },
    signatures: [
      {
        content: '{timestamp}.{body}',
        algorithm: 'hmac-sha256',
        encoding: 'hex',
        secret: 'utf8',
        each: 'v1={signature}',
        join: ',',
        most: 16,
      },
    ],
  },
  isTimed: true,
  hasSeveral: true,
  languagesWithout: [],
  other: 'whsec_other',
  headers: (secrets, body, at) => {
    const sign = (secret: string) => createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex')
    return { 'billing-signature': [`t=${at}`, ...secrets.map((secret) => `v1=${sign(secret)}`)].join(',') }
  },
}

/** Contains everything that programs could quote wrongly. */
const UNUSUAL: SignedService = {
  dialect: 'unusual',
  profile: {
    profile: 1,
    name: 'unusual',
    title: 'Unusual',
    envelope: { bare: true },
    headers: {
      'X-Event': '{id}',
      'X-Sent': 'at "{timestamp}" #{{for} {workspace.slug}',
      'X-Sig': '[{signatures}]',
    },
    signatures: [
      {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: programs must not take it for one
        content: 'it\'s "#{{x} $y \\ {timestamp}`${{z}\\{body}',
        algorithm: 'hmac-sha512',
        encoding: 'base64',
        secret: 'hex',
        each: "a'{{{signature}",
        join: ';',
        most: 16,
      },
    ],
    secret: { prefix: 'k_', encoding: 'hex' },
  },
  isTimed: true,
  hasSeveral: true,
  languagesWithout: [],
  other: `k_${Buffer.alloc(32, 7).toString('hex')}`,
  headers: (secrets, body, at) => {
    const sign = (secret: string) =>
      createHmac('sha512', Buffer.from(secret.slice(2), 'hex'))
        .update(`it's "#{x} $y \\ ${at}\`\${z}\\`)
        .update(body)
        .digest('base64')
    return {
      'x-event': 'evt_1',
      'x-sent': `at "${at}" #{for} acme`,
      'x-sig': `[${secrets.map((secret) => `a'{${sign(secret)}`).join(';')}]`,
    }
  },
}

/** Signs only a date, instead of a number, and the body. */
const DATED: SignedService = {
  dialect: 'dated',
  profile: {
    profile: 1,
    name: 'dated',
    title: 'Dated',
    headers: { 'X-Sent-At': '{timestamp:iso}', 'X-Signature': '{signatures}' },
    signatures: [
      {
        content: '{timestamp:iso}{body}',
        algorithm: 'hmac-sha256',
        encoding: 'base64',
        secret: 'utf8',
        each: '{signature}',
      },
    ],
    secret: { prefix: '', encoding: 'hex' },
  },
  isTimed: true,
  hasSeveral: false,
  languagesWithout: ['rust'],
  other: 'x'.repeat(43),
  headers: ([secret], body, at) => {
    const time = new Date(at * 1_000).toISOString()
    return {
      'x-sent-at': time,
      'x-signature': createHmac('sha256', secret!).update(time).update(body).digest('base64'),
    }
  },
}

/** Signs only with key pairs: receivers verify with a public key. */
export const KEY_PAIRS_PROFILE = {
  profile: 1,
  name: 'key-pairs',
  title: 'Key pairs',
  signatures: [
    {
      content: '{id}.{timestamp}.{body}',
      algorithm: 'ed25519',
      encoding: 'base64',
      each: 'v1a,{signature}',
      join: ' ',
      most: 16,
    },
  ],
}

export const SIGNED_SERVICES: readonly SignedService[] = [CONTENT, ADS, BILLING, UNUSUAL, DATED]
