import type { Profile } from '../../profiles/profile.ts'

/** How documents speak of what receives events. */
interface ReceiverWords {
  readonly one: string
  readonly a: string
  readonly many: string
  /** Where it is named for the first time. */
  readonly full: string
  readonly aFull: string
  readonly manyFull: string
  /** In titles of schemas. */
  readonly title: string
  /** What the titles of schemas of deliveries begin with. */
  readonly deliveryTitle: string
  readonly create: string
  readonly created: string
  /** Joins it to its deliveries. */
  readonly deliveries: 'of' | 'to'
  readonly isFor: string
  readonly exampleUrl: string
}

const RECEIVERS: Readonly<Record<Profile['words']['webhook'] & string, ReceiverWords>> = {
  webhook: {
    one: 'webhook',
    a: 'a webhook',
    many: 'webhooks',
    full: 'webhook',
    aFull: 'a webhook',
    manyFull: 'webhooks',
    title: 'Webhook',
    deliveryTitle: 'Delivery',
    create: 'Create',
    created: 'created',
    deliveries: 'of',
    isFor: 'Its webhook.',
    exampleUrl: 'https://hooks.spokewell.com/posthorn',
  },
  endpoint: {
    one: 'endpoint',
    a: 'an endpoint',
    many: 'endpoints',
    full: 'webhook endpoint',
    aFull: 'a webhook endpoint',
    manyFull: 'webhook endpoints',
    title: 'Endpoint',
    deliveryTitle: 'EndpointDelivery',
    create: 'Register',
    created: 'registered',
    deliveries: 'to',
    isFor: 'Its endpoint.',
    exampleUrl: 'https://hooks.spokewell.com/ads',
  },
}

export const receiverWords = ({ words }: Pick<Profile, 'words'>): ReceiverWords => RECEIVERS[words.webhook!]

/** `domain event` → `DomainEvent`. */
export const eventTitle = ({ words }: Pick<Profile, 'words'>): string =>
  words.event!.split(' ').map(capitalized).join('')

export const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** `my-billing` → `MyBilling`. */
export const serviceTitle = ({ name }: Pick<Profile, 'name'>): string =>
  name
    .split(/[^a-z0-9]+/i)
    .map(capitalized)
    .join('')

/** `scope a`, or `scopes a and b`. */
export function scopesText(scopes: readonly string[]): string {
  const named = scopes.map((scope) => `\`${scope}\``)
  return named.length === 1 ? `the scope ${named[0]}` : `the scopes ${listed(named)}`
}

export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
