import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { contentCatalog } from '../../src/profiles/builtIn.ts'

const contract = [
  'generation.ready_for_review',
  'generation.review_requested',
  'generation.needs_input',
  'generation.failed',
  'version.approved',
  'version.changes_requested',
  'publication.published',
  'publication.failed',
  'publication.withdrawn',
  'schedule.cancel_required',
  'comment.created',
  'plan.ready',
  'plan.saved',
  'autopilot.needs_review',
  'autopilot.slot_missed',
  'suggestions.ready',
  'webhook.test',
]

const get = (type: string) => {
  const event = contentCatalog.get(type)
  if (!event) throw new Error(`${type} is not in the catalog`)
  const ajv = new Ajv2020({ strict: true })
  ajvFormats.default(ajv)
  return { ...event, accepts: ajv.compile(event.schema) }
}

const membersOf = (schema: unknown): Record<string, unknown> =>
  (schema as { properties: Record<string, unknown> }).properties

const generation = { id: 'gen_1', kind: 'article', title: 'Hello', content_id: 'cnt_1' }

describe('the content catalog against its contract', () => {
  it('has exactly the types of section 6', () => {
    expect([...contentCatalog.keys()].sort()).toEqual([...contract].sort())
  })

  it('lets a webhook subscribe to every type but webhook.test', () => {
    const closedTypes = [...contentCatalog.values()].filter((event) => !event.subscribable)
    expect(closedTypes.map((event) => event.type)).toEqual(['webhook.test'])
  })

  it.each(contract)('%s: the service adds workspace, actor_id and links', (type) => {
    const members = Object.keys(membersOf(get(type).schema))
    expect(members.filter((member) => ['workspace', 'actor_id', 'links'].includes(member))).toEqual([])
  })

  it.each(contract)('%s: names are snake_case', (type) => {
    const names = JSON.stringify(get(type).example).match(/"[^"]+":/g) ?? []
    for (const name of names) expect(name).toMatch(/^"[a-z]+(_[a-z]+)*":$/)
  })

  it('version.approved has exactly the members of the contract', () => {
    const members = membersOf(get('version.approved').schema)
    expect(Object.keys(members).sort()).toEqual(['decided_by', 'generation', 'version_id', 'via'])
    expect(Object.keys(membersOf(members.generation)).sort()).toEqual(['content_id', 'id', 'kind', 'title'])
  })

  it('publication.published has exactly the members of the contract', () => {
    const members = membersOf(get('publication.published').schema)
    expect(Object.keys(members).sort()).toEqual(['generation', 'publication', 'version_id'])
    expect(Object.keys(membersOf(members.publication)).sort()).toEqual([
      'destination_id',
      'id',
      'slug',
      'url',
    ])
    expect(Object.keys(membersOf(members.generation)).sort()).toEqual(['content_id', 'id', 'kind', 'title'])
  })

  it('schedule.cancel_required has exactly the member of the contract', () => {
    expect(Object.keys(membersOf(get('schedule.cancel_required').schema))).toEqual(['subject_id'])
  })

  it('accepts unknown kinds and ways of approval', () => {
    const { accepts } = get('version.approved')
    const data = { generation, version_id: 'ver_1', decided_by: 'usr_1', via: 'person' }
    expect(accepts(data)).toBe(true)
    expect(accepts({ ...data, via: 'autopilot-gated' })).toBe(true)
    expect(accepts({ ...data, generation: { ...generation, kind: 'landing_page' } })).toBe(true)
    expect(accepts({ ...data, via: 'a whole sentence, which is no code' })).toBe(false)
  })

  it.each(['ver_1', 'gen_', 'gen_a.b', 'gen_1\n', ' gen_1', `gen_${'a'.repeat(65)}`])(
    'rejects %j as the id of a generation',
    (id) => {
      const data = { version_id: 'ver_1', decided_by: 'usr_1', via: 'person' }
      expect(get('version.approved').accepts({ ...data, generation: { ...generation, id } })).toBe(false)
    },
  )

  it.each([
    'javascript:alert(1)',
    '/winter',
    'ftp://blog.example/a',
    `https://blog.example/${'a'.repeat(2048)}`,
  ])('rejects %.40j as the address of a publication', (url) => {
    const { accepts, example } = get('publication.published')
    const publication = example.publication as Record<string, unknown>
    expect(accepts({ ...example, publication: { ...publication, url } })).toBe(false)
  })

  it('accepts a title of 300 characters, counted as people do, and none longer', () => {
    const { accepts, example } = get('version.approved')
    const titled = (title: string) => ({ ...example, generation: { ...generation, title } })
    expect(accepts(titled('🚲'.repeat(300)))).toBe(true)
    expect(accepts(titled('a'.repeat(301)))).toBe(false)
  })
})
