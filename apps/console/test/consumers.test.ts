import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { consumersApi } from '../src/api/consumers.ts'
import type { ServiceApi } from '../src/api/serviceApi.ts'
import { isLosingSoon, placeOf, type StartDraft } from '../src/model/consumer.ts'
import { consumerCommands } from '../src/model/consumerCommands.ts'
import { mistakeInStart, startOf } from '../src/model/consumerStart.ts'

const run = promisify(execFile)
const NOW = Date.parse('2026-03-14T12:00:00.000Z')
const DAY_MS = 86_400_000
const ago = (ms: number) => new Date(NOW - ms).toISOString()

describe('the position of a consumer', () => {
  it.each([
    ['current', { events: 0, hasMore: false, oldestAt: null }],
    ['waiting', { events: 1, hasMore: false, oldestAt: ago(1_000) }],
    ['waiting', { events: 1_000, hasMore: true, oldestAt: ago(1_000) }],
    ['passing', { events: 0, hasMore: true, oldestAt: null }],
  ] as const)('is %s', (place, lag) => {
    expect(placeOf(lag)).toBe(place)
  })

  it.each([
    [29, true],
    [23, true],
    [22, false],
    [0, false],
  ])('with events kept 30 days, %d days of waiting are at risk: %s', (days, soon) => {
    const lag = { events: 1, hasMore: false, oldestAt: ago(days * DAY_MS) }
    expect(isLosingSoon(lag, 30 * 86_400, NOW)).toBe(soon)
  })

  it('loses nothing where nothing waits', () => {
    expect(isLosingSoon({ events: 0, hasMore: false, oldestAt: null }, 1, NOW)).toBe(false)
  })
})

describe('the start that a form requests', () => {
  const draft = (parts: Partial<StartDraft>): StartDraft => ({ kind: 'now', since: '', after: '', ...parts })

  it.each([
    [{ kind: 'now' }, null],
    [{ kind: 'oldest' }, null],
    [{ kind: 'since', since: '' }, 'Enter a date and a time.'],
    [{ kind: 'since', since: '2026-03-14T11:59:59Z' }, null],
    [
      { kind: 'since', since: '2026-03-14T12:00:01Z' },
      'This time is in the future. Enter one that has passed.',
    ],
    [{ kind: 'after', after: '  ' }, 'Enter the id of an event.'],
    [{ kind: 'after', after: 'evt_1' }, null],
  ] as const)('%o: %s', (parts, mistake) => {
    expect(mistakeInStart(draft(parts), NOW)).toBe(mistake)
  })

  it('names only one position, even if the other fields are filled in', () => {
    const typed = { since: '2026-03-14T10:00', after: ' evt_1 ' }
    expect(startOf(draft({ ...typed, kind: 'oldest' }))).toEqual({ start: 'oldest' })
    expect(startOf(draft({ ...typed, kind: 'after' }))).toEqual({ after: 'evt_1' })
    const since = new Date('2026-03-14T10:00').toISOString()
    expect(startOf(draft({ ...typed, kind: 'since' }))).toEqual({ since })
  })
})

describe('commands of a receiver', () => {
  const origin = 'https://events.example.com'
  const content = { origin, path: '/v1/workspaces/ws_1/consumers', workspace: 'ws_1' }
  const ads = { origin, path: '/api/v1/consumers', workspace: null }
  const key = ['-H', 'Authorization: Bearer phk_1']
  const json = ['-H', 'Content-Type: application/json']

  /** The arguments that the shell passes to the program of this name. */
  async function argumentsOf(program: string, command: string): Promise<readonly string[]> {
    const script = `${program}() { printf '%s\\n' "$@"; }\n${command}`
    const { stdout } = await run('bash', ['-c', script], { env: { API_KEY: 'phk_1' } })
    return stdout.trimEnd().split('\n')
  }

  it('call the API of the service', async () => {
    const { create, read, acknowledge, stream } = consumerCommands(content, 'crm-sync')
    const all = `${origin}${content.path}`
    const one = `${all}/crm-sync`
    expect(await argumentsOf('curl', create)).toEqual([all, ...key, ...json, '-d', '{"name":"crm-sync"}'])
    expect(await argumentsOf('curl', read)).toEqual([`${one}/events?wait=30`, ...key])
    expect(await argumentsOf('curl', acknowledge)).toEqual([
      ...[`${one}/ack`, ...key, ...json],
      ...['-d', '{"ack":"ACK"}'],
    ])
    expect(await argumentsOf('curl', stream)).toEqual(['--no-buffer', `${one}/stream`, ...key])
  })

  it('pass the workspace to the command line only where the paths contain it', async () => {
    const common = ['consumer', 'read', 'crm-sync', '--key', 'phk_1', '--public-url', origin]
    expect(await argumentsOf('posthorn', consumerCommands(content, 'crm-sync').follow)).toEqual([
      ...common,
      ...['--workspace', 'ws_1'],
    ])
    expect(await argumentsOf('posthorn', consumerCommands(ads, 'crm-sync').follow)).toEqual(common)
  })
})

it.each([
  ['snake', { next_cursor: null }, ['event_types', 'oldest_at', 'has_more', 'noticed_at']],
  ['camel', { nextCursor: null }, ['eventTypes', 'oldestAt', 'hasMore', 'noticedAt']],
] as const)(
  'consumers are read the same from a service in %s case',
  async (_, rest, [types, oldest, more, noticed]) => {
    const lag = { events: 2, [more]: false, [oldest]: ago(0) }
    const consumer = { name: 'crm-sync', [types]: ['a.b'], gap: { events: 3, [noticed]: ago(1) }, lag }
    const json = { data: [consumer, { ...consumer, gap: null }], ...rest }
    const api: ServiceApi = { base: '/api/v1', call: async () => ({ json, response: new Response() }) }
    const { items, nextCursor } = await consumersApi(api, 'ws_1').list(null, new AbortController().signal)
    const read = {
      ...{ name: 'crm-sync', eventTypes: ['a.b'], gap: { events: 3, noticedAt: ago(1) } },
      lag: { events: 2, hasMore: false, oldestAt: ago(0) },
    }
    expect(items).toEqual([read, { ...read, gap: null }])
    expect(nextCursor).toBeNull()
  },
)
