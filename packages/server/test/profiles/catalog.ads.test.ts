import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { adsCatalog } from '../../src/profiles/builtIn.ts'

const contract = {
  'campaign.created.v1': 'campaign',
  'campaign.updated.v1': 'campaign',
  'campaign.status_changed.v1': 'campaign',
  'line_item.created.v1': 'line_item',
  'line_item.updated.v1': 'line_item',
  'creative.created.v1': 'creative',
  'creative.updated.v1': 'creative',
  'conversion_event.created.v1': 'conversion_event',
  'segment.created.v1': 'segment',
  'segment.evaluated.v1': 'segment',
  'workspace.created.v1': 'workspace',
  'sync.succeeded.v1': 'sync',
  'sync.failed.v1': 'sync',
  'report.ready.v1': 'report',
  'budget.threshold.v1': 'campaign',
  'spend.anomaly.v1': 'campaign',
  'decision.applied.v1': 'decision',
  'package.created.v1': 'package',
  'deal.created.v1': 'deal',
  'proposal.created.v1': 'proposal',
  'proposal.signed.v1': 'proposal',
  'change_request.created.v1': 'change_request',
  'change_request.reviewed.v1': 'change_request',
}

const get = (type: string) => {
  const event = adsCatalog.get(type)
  if (!event) throw new Error(`${type} is not in the catalog`)
  const ajv = new Ajv2020({ strict: true })
  ajvFormats.default(ajv)
  return { ...event, accepts: ajv.compile(event.schema) }
}

describe('the ads catalog against its contract', () => {
  it('has exactly the types of section 6', () => {
    expect([...adsCatalog.keys()].sort()).toEqual(Object.keys(contract).sort())
  })

  it.each(Object.entries(contract))('%s is about a %s and can be subscribed to', (type, entityType) => {
    const event = get(type)
    expect(event.members).toEqual({ entityType })
    expect(event.subscribable).toBe(true)
    expect(type).toMatch(/[.]v1$/)
  })

  it.each(Object.keys(contract))('%s: names are camelCase', (type) => {
    const names = JSON.stringify(get(type).example).match(/"[^"]+":/g) ?? []
    for (const name of names) expect(name).toMatch(/^"[a-z][A-Za-z]*":$/)
  })

  it('campaign.status_changed.v1 has exactly from and to', () => {
    const { schema } = get('campaign.status_changed.v1')
    expect(Object.keys(schema.properties as object)).toEqual(['from', 'to'])
  })

  it('accepts unknown campaign statuses, but only single words', () => {
    const { accepts } = get('campaign.status_changed.v1')
    expect(accepts({ from: 'active', to: 'paused' })).toBe(true)
    expect(accepts({ from: 'pending_review', to: 'PAUSED' })).toBe(true)
    expect(accepts({ from: '', to: 'paused' })).toBe(false)
    expect(accepts({ from: null, to: 'paused' })).toBe(false)
  })

  it.each([
    { amountMinor: 12.5, currency: 'EUR' },
    { amountMinor: -1, currency: 'EUR' },
    { amountMinor: 2 ** 53, currency: 'EUR' },
    { amountMinor: '1250', currency: 'EUR' },
    { amountMinor: 1250, currency: 'eur' },
    { amountMinor: 1250 },
  ])('rejects %j as an amount', (budget) => {
    const { accepts, example } = get('budget.threshold.v1')
    expect(accepts({ ...example, budget })).toBe(false)
  })

  it.each(['urn:uuid:01a03862-41d7-7c90-8a55-0b4d9e71f326', '1', ''])(
    'rejects %j as the id of an entity',
    (id) => {
      const { accepts, example } = get('line_item.created.v1')
      expect(accepts({ ...example, campaignId: id })).toBe(false)
    },
  )

  it.each([
    '2026-09-21T17:42:08Z',
    '2026-09-21T17:42:08.315+01:00',
    '2026-13-21T17:42:08.315Z',
    1789000000000,
  ])('rejects %j as a time', (convertedAt) => {
    const { accepts, example } = get('conversion_event.created.v1')
    expect(accepts({ ...example, convertedAt })).toBe(false)
  })

  it('rejects a date that does not exist', () => {
    const { accepts, example } = get('campaign.created.v1')
    expect(accepts({ ...example, endDate: null })).toBe(true)
    expect(accepts({ ...example, endDate: '2026-02-30' })).toBe(false)
  })
})
