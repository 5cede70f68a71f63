import { Api } from '../../support/http.ts'
import { eventually } from '../../support/waiting.ts'

const PAGE = 100
/** Events whose deliveries are read concurrently. */
const READ_AT_ONCE = 4

interface Delivery {
  readonly id: string
  readonly webhookId: string
  readonly status: string
}

interface DeliveryPage {
  readonly data: readonly Delivery[]
  readonly nextCursor: string | null
}

/** The expected content of the log: one delivery per event and endpoint. */
export interface ExpectedDeliveries {
  readonly baseUrl: () => string
  readonly key: string
  readonly eventIds: readonly string[]
  readonly endpointIds: readonly string[]
}

const LOG = '/api/v1/webhook-deliveries'

/** Waits until the results of all attempts are stored. @returns whether that happened in time */
export async function nonePending(
  { baseUrl, key }: Pick<ExpectedDeliveries, 'baseUrl' | 'key'>,
  withinMs: number,
): Promise<boolean> {
  const api = new Api(baseUrl)
  const empty = async () => {
    const { data, nextCursor } = await api.get<DeliveryPage>(`${LOG}?status=pending&limit=1`, { token: key })
    return data.length === 0 && nextCursor === null ? true : null
  }
  return eventually(empty, { withinMs, everyMs: 100, what: 'results of all attempts' }).catch(() => false)
}

/** Reads the whole log over the API. @returns the problems found in it */
export async function deliveryComplaints(expected: ExpectedDeliveries): Promise<string[]> {
  const api = new Api(expected.baseUrl)
  const total = { missing: 0, doubled: 0, foreign: 0, undelivered: 0 }
  const left = [...expected.eventIds]
  const read = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const judged = judgeDeliveries(await deliveriesOf(api, expected.key, id), expected.endpointIds)
      for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += judged[name]
    }
  }
  await Promise.all(Array.from({ length: READ_AT_ONCE }, read))
  const texts: Record<keyof typeof total, string> = {
    missing: 'deliveries do not exist',
    doubled: 'deliveries exist a second time for the same endpoint and event',
    foreign: 'deliveries are to endpoints that do not exist',
    undelivered: 'deliveries are stored with a state other than delivered',
  }
  return (Object.keys(total) as (keyof typeof total)[])
    .filter((name) => total[name] > 0)
    .map((name) => `${total[name]} ${texts[name]}`)
}

async function deliveriesOf(api: Api, token: string, eventId: string): Promise<Delivery[]> {
  const all: Delivery[] = []
  let cursor: string | null = null
  do {
    const from: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page: DeliveryPage = await api.get(`${LOG}?eventId=${eventId}&limit=${PAGE}${from}`, { token })
    all.push(...page.data)
    cursor = page.nextCursor
  } while (cursor !== null)
  return all
}

/** @param deliveries of one event */
export function judgeDeliveries(deliveries: readonly Delivery[], endpointIds: readonly string[]) {
  const missing = new Set(endpointIds)
  const expected = new Set(endpointIds)
  const result = { missing: 0, doubled: 0, foreign: 0, undelivered: 0 }
  for (const { webhookId, status } of deliveries) {
    if (!expected.has(webhookId)) result.foreign += 1
    else if (!missing.delete(webhookId)) result.doubled += 1
    if (status !== 'delivered') result.undelivered += 1
  }
  result.missing = missing.size
  return result
}
