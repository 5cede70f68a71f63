import { Api } from '../../support/http.ts'
import { ADMIN_TOKEN } from '../../support/posthorn.ts'
import type { ReadCall } from '../measure/readCalls.ts'
import type { FilledLog, LoggedWorkspace } from './fillLog.ts'

/** The parameters for listing deliveries. */
export interface ListFacts {
  readonly path: string
  readonly token: string
  /** Names of parameters where this service uses another name. */
  readonly words: Readonly<Record<string, string>>
  readonly webhookId: string
  readonly commonType: string
  readonly rareType: string
  /** In the catalog, but never published. */
  readonly unusedType: string
  /** An event in the middle of the log. */
  readonly eventId: string
  /** The middle of the period in which the log was filled, RFC 3339. */
  readonly middle: string
  readonly secondLater: string
  /** The cursor after the first {@link DEPTH} pages, or of the last page. */
  readonly deepCursor: string
  /** Single deliveries that failed. */
  readonly deliveries: readonly ReadCall[]
}

export interface LogFacts {
  readonly content: ListFacts
  readonly ads: ListFacts
  /** The content workspace in the console's API. */
  readonly consolePath: string
  /** Of a member. */
  readonly sessionToken: string
}

const PAGE = 100
const DEPTH = 50
const SESSION_MINUTES = 24 * 60

interface Page {
  readonly data: readonly {
    readonly id: string
    readonly event_id?: string
    readonly eventId?: string
    readonly webhook_id?: string
  }[]
  readonly next_cursor?: string | null
  readonly nextCursor?: string | null
}

/** Looks up the ids and times in a log that later calls use. */
export async function readFacts(url: string, { content, ads }: FilledLog): Promise<LogFacts> {
  const api = new Api(() => url)
  const base = `/v1/workspaces/${content.id}`
  const ofContent = {
    path: `${base}/deliveries`,
    words: { webhook: 'webhook_id', type: 'event_type', code: 'status_code', event: 'event_id' },
    unusedType: 'comment.created',
  }
  const ofAds = {
    path: '/api/v1/webhook-deliveries',
    words: { webhook: 'webhookId', type: 'eventType', code: 'statusCode', event: 'eventId' },
    unusedType: 'report.ready.v1',
  }
  const members = `/admin/v1/workspaces/${content.id}/members`
  const body = { email: 'owner@bench.example', name: 'Owner', role: 'owner' }
  const { id } = await api.post<{ id: string }>(members, { token: ADMIN_TOKEN, body })
  const session = await api.post<{ token: string }>(`${members}/${id}/sessions`, {
    token: ADMIN_TOKEN,
    body: { minutes: SESSION_MINUTES },
  })
  return {
    content: await factsOf(api, content, ofContent, 'failed', (delivery) => {
      const webhook = `${base}/webhooks/${delivery.webhook_id}`
      return `${webhook}/deliveries/${delivery.id}`
    }),
    ads: await factsOf(api, ads, ofAds, 'dead', (delivery) => `${ofAds.path}/${delivery.id}`),
    consolePath: `/console${base}`,
    sessionToken: session.token,
  }
}

async function factsOf(
  api: Api,
  { key: token, madeBetween, webhookIds, commonType, rareType }: LoggedWorkspace,
  service: Pick<ListFacts, 'path' | 'words' | 'unusedType'>,
  bad: string,
  pathOf: (delivery: Page['data'][number]) => string,
): Promise<ListFacts> {
  const read = (query: string) => api.get<Page>(`${service.path}?limit=${PAGE}${query}`, { token })
  let cursor = ''
  for (let page = 0; page < DEPTH; page++) {
    const { next_cursor, nextCursor } = await read(
      cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`,
    )
    const next = next_cursor ?? nextCursor ?? null
    if (next === null) break
    cursor = next
  }
  const [from, to] = madeBetween
  const middleAt = Math.round((from + to) / 2)
  const middle = new Date(middleAt).toISOString()
  const [delivery] = (await read(`&to=${encodeURIComponent(middle)}`)).data
  return {
    ...service,
    token,
    webhookId: webhookIds[0]!,
    commonType,
    rareType,
    eventId: (delivery!.event_id ?? delivery!.eventId)!,
    middle,
    secondLater: new Date(middleAt + 1000).toISOString(),
    deepCursor: cursor,
    deliveries: (await read(`&status=${bad}`)).data.map((one) => ({ path: pathOf(one), token })),
  }
}
