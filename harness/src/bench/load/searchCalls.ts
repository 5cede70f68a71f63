import { BenchError } from '../frame/benchError.ts'
import type { ReadCall, Reader } from '../measure/readCalls.ts'
import type { ListFacts, LogFacts } from './logFacts.ts'

/** The search parameters, in a list of deliveries or of events. */
type Search = Readonly<Record<string, string>>

const SEARCHES: readonly (readonly [name: string, of: (facts: ListFacts) => Search])[] = [
  ['an event by its id', ({ eventId }) => ({ q: eventId })],
  ['a word that no event has', () => ({ q: 'nosuchword' })],
  ['two words, no event has both', () => ({ q: 'true nosuchword' })],
  ['a rare type', ({ rareType }) => ({ type: rareType })],
  ['a rare type of one webhook', ({ rareType, webhookId }) => ({ type: rareType, webhook: webhookId })],
  ['two types, rare and unused', ({ rareType, unusedType }) => ({ type: `${rareType},${unusedType}` })],
  ['a type of no event', ({ unusedType }) => ({ type: unusedType })],
  ['a status code that never occurred', () => ({ code: '418' })],
  ['a common code and a rare type', ({ rareType }) => ({ code: '404', type: rareType })],
]

const SERVICES = ['content', 'ads'] as const

/** In the order of the report. */
export const SEARCH_CALLS: readonly string[] = SERVICES.flatMap((service) =>
  SEARCHES.map(([name]) => `${service}: ${name}`),
)

interface Page {
  readonly next_cursor?: string | null
  readonly nextCursor?: string | null
}

/** @throws BenchError for a search that needs more than one call */
export async function searchCallsOf(reader: Reader, facts: LogFacts): Promise<ReadonlyMap<string, ReadCall>> {
  const calls = new Map<string, ReadCall>()
  for (const service of SERVICES) {
    for (const [name, of] of SEARCHES) {
      const call = callOf(facts[service], of(facts[service]))
      const { answer } = await reader.read<Page>(call)
      if ((answer.next_cursor ?? answer.nextCursor ?? null) !== null)
        throw new BenchError(`${service}: ${name} takes more than one call`)
      calls.set(`${service}: ${name}`, call)
    }
  }
  return calls
}

function callOf({ path, token, words }: ListFacts, search: Search): ReadCall {
  const query = Object.entries(search).map(
    ([name, value]) => `&${words[name] ?? name}=${encodeURIComponent(value)}`,
  )
  return { path: `${path}?limit=100${query.join('')}`, token }
}
