import type { Answer } from './customers.ts'

/** A temporary change in how a webhook's receiver answers. */
interface Trouble {
  /** Hours before the end of the week: from the first to the second. */
  readonly hours: readonly [from: number, to: number]
  readonly answer: Answer
  /** The share of affected requests; 1 if omitted. */
  readonly share?: number
}

export interface Hook {
  readonly url: string
  readonly description: string
  /** Event types that it receives; empty: all. */
  readonly events: readonly string[]
  /** Its receiver's usual response time, ms. */
  readonly tookMs: number
  readonly answer?: Answer
  readonly troubles?: readonly Trouble[]
}

const json = (status: number, body: unknown): Answer => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(body),
})

const QUEUED = json(202, { queued: true })

/** Of the content workspace. */
export const CONTENT_HOOKS = {
  healthy: {
    url: 'https://automation.acme-stories.example/drafts',
    description: 'Draft board',
    events: [
      'generation.ready_for_review',
      'generation.review_requested',
      'generation.needs_input',
      'generation.failed',
      'version.approved',
      'version.changes_requested',
    ],
    tookMs: 22,
    answer: QUEUED,
    troubles: [
      { hours: [31, 29.5], answer: json(500, { error: 'worker pool exhausted' }), share: 0.6 },
      { hours: [5.6, 5], answer: json(502, { error: 'upstream reset' }), share: 0.5 },
    ],
  },
  failing: {
    url: 'https://www.acme-stories.example/hooks/publish',
    description: 'Website deploy',
    events: ['publication.published', 'publication.failed', 'publication.withdrawn'],
    tookMs: 45,
    answer: json(200, { build: 'started' }),
    troubles: [{ hours: [7.2, 0], answer: json(503, { error: 'database is read-only', retry: true }) }],
  },
  gone: {
    url: 'https://crm.acme-stories.example/inbound/content',
    description: 'Old CRM',
    events: ['version.approved', 'publication.published'],
    tookMs: 30,
    troubles: [
      {
        hours: [51, 0],
        answer: { status: 410, contentType: 'text/plain', body: 'This integration was removed.' },
      },
    ],
  },
  paused: {
    url: 'https://ingest.warehouse.example/acme/webhooks',
    description: 'Analytics warehouse',
    events: [],
    tookMs: 15,
    answer: json(202, { accepted: 1 }),
  },
  channel: {
    url: 'https://hooks.teamchat.example/services/T04F2K/B77QX',
    description: 'Editors’ channel',
    events: ['comment.created', 'generation.review_requested', 'autopilot.needs_review'],
    tookMs: 35,
    answer: { status: 200, contentType: 'text/plain', body: 'ok' },
    troubles: [
      {
        hours: [3.4, 2.6],
        answer: { status: 429, contentType: 'text/plain', body: 'rate_limited', after: 60 },
        share: 0.7,
      },
    ],
  },
  search: {
    url: 'https://search.acme-stories.example/v2/reindex',
    description: 'Search index',
    events: ['publication.published', 'publication.withdrawn'],
    tookMs: 60,
    answer: { status: 204 },
    troubles: [{ hours: [6.6, 5.8], answer: 'cut', share: 0.8 }],
  },
} as const satisfies Record<string, Hook>

/** Of the ads workspace. */
export const ADS_HOOKS = {
  healthy: {
    url: 'https://bidder.northwind.example/events',
    description: 'Bidder',
    events: [],
    tookMs: 12,
    answer: { status: 204 },
    troubles: [{ hours: [2.2, 1.8], answer: 'cut', share: 0.3 }],
  },
  dead: {
    url: 'https://reports.northwind.example/ingest',
    description: 'Report archive',
    events: ['report.ready.v1'],
    tookMs: 40,
    answer: { status: 200, contentType: 'text/plain', body: 'stored' },
    troubles: [
      {
        hours: [33, 0],
        answer: { status: 500, contentType: 'text/html', body: '<h1>Internal Server Error</h1>' },
      },
    ],
  },
  billing: {
    url: 'https://billing.northwind.example/hooks/spend',
    description: 'Billing',
    events: ['budget.threshold.v1', 'spend.anomaly.v1', 'proposal.signed.v1', 'deal.created.v1'],
    tookMs: 30,
    answer: json(200, { ok: true }),
    troubles: [{ hours: [75, 48], answer: json(503, { message: 'maintenance' }) }],
  },
} as const satisfies Record<string, Hook>

/**
 * Other users of the same service, a webhook each; the last numbers: usual ms, events an hour, days since
 * they joined.
 */
export const NEIGHBORS = [
  [
    'content',
    'harbour-kitchen',
    'Harbour Kitchen',
    'https://hooks.harbour-kitchen.example/recipes',
    25,
    20,
    33,
  ],
  ['content', 'lumen-books', 'Lumen Books', 'https://api.lumen-books.example/webhooks', 50, 12, 26],
  ['ads', 'tern-and-tide', 'Tern & Tide', 'https://events.terntide.example/ads', 18, 36, 19],
  ['ads', 'fjord-outdoor', 'Fjord Outdoor', 'https://track.fjord-outdoor.example/v1/hooks', 35, 16, 12],
  ['content', 'velo-atelier', 'Velo Atelier', 'https://velo-atelier.example/hooks', 45, 6, 9],
] as const
