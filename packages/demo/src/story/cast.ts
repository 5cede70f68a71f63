import type { Behavior } from '../receivers/receiver.ts'

export type ServiceName = 'content' | 'ads'

export const SERVICES: readonly ServiceName[] = ['content', 'ads']

/** What happens to the events that a receiver subscribes to. */
type Fate =
  /** Each is delivered. */
  | 'arrives'
  /** None is: all attempts are used up. */
  | 'fails'
  /** The receiver answers 410 to the first one, which disables the webhook; no deliveries are created for later ones. */
  | 'gets_disabled'
  /** None is, until the receiver is fixed and the dead deliveries are replayed. */
  | 'arrives_when_replayed'

/** A customer's endpoint in the story. */
export interface Part {
  readonly name: string
  readonly path: string
  readonly service: ServiceName
  /** How it behaves, in a few words. */
  readonly manner: string
  readonly behavior: Behavior
  /** Event types it subscribes to; `all`: whatever its service sends. */
  readonly types: 'all' | readonly string[]
  readonly fate: Fate
}

export const works: Behavior = () => ({ status: 200 })
const failsTwice: Behavior = (nth) => ({ status: nth <= 2 ? 503 : 200 })
const isBusyTwice: Behavior = (nth) =>
  nth <= 2 ? { status: nth === 1 ? 429 : 503, retryAfterSeconds: 1 } : { status: 200 }
const isGone: Behavior = () => ({ status: 410 })
const hangs: Behavior = () => 'silence'

export const CAST: readonly Part[] = [
  {
    name: 'Blog rebuild',
    path: 'rebuild',
    service: 'content',
    manner: 'works',
    behavior: works,
    types: 'all',
    fate: 'arrives',
  },
  {
    name: 'Team chat',
    path: 'chat',
    service: 'content',
    manner: 'fails twice per event',
    behavior: failsTwice,
    types: ['generation.review_requested', 'version.changes_requested', 'generation.needs_input'],
    fate: 'arrives',
  },
  {
    name: 'Old newsletter',
    path: 'newsletter',
    service: 'content',
    manner: 'answers 410 Gone',
    behavior: isGone,
    types: ['publication.published'],
    fate: 'gets_disabled',
  },
  {
    name: 'Wiki import',
    path: 'wiki',
    service: 'content',
    manner: 'never answers',
    behavior: hangs,
    types: ['plan.saved'],
    fate: 'fails',
  },
  {
    name: 'Warehouse',
    path: 'warehouse',
    service: 'ads',
    manner: 'works',
    behavior: works,
    types: 'all',
    fate: 'arrives',
  },
  {
    name: 'Budget bot',
    path: 'budget-bot',
    service: 'ads',
    manner: 'busy twice per event',
    behavior: isBusyTwice,
    types: ['budget.threshold.v1', 'spend.anomaly.v1', 'sync.failed.v1'],
    fate: 'arrives',
  },
  {
    name: 'Sales CRM',
    path: 'crm',
    service: 'ads',
    manner: 'hangs until fixed',
    behavior: hangs,
    types: ['proposal.signed.v1', 'deal.created.v1'],
    fate: 'arrives_when_replayed',
  },
]

export function listensTo(part: Part, service: ServiceName, type: string): boolean {
  return part.service === service && (part.types === 'all' || part.types.includes(type))
}
