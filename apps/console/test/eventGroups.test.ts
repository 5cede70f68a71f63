import { expect, it } from 'vitest'
import { eventGroups } from '../src/model/eventGroups.ts'
import { withAll } from '../src/pages/webhooks/form/withAll.ts'

const type = (name: string, group: string, title: string) => ({ type: name, group, title, description: '' })
const TYPES = [
  type('plan.ready', 'Strategy', 'Plan ready'),
  type('plan.saved', 'Strategy', 'Plan saved'),
  type('version.approved', 'Versions', 'Version approved'),
]

it('shows every type by group, in catalog order', () => {
  expect(eventGroups(TYPES, ' ').map(({ name, types }) => [name, types.length])).toEqual([
    ['Strategy', 2],
    ['Versions', 1],
  ])
})
it('keeps the types of a group together, wherever they are in the catalog', () => {
  const apart = [TYPES[0]!, TYPES[2]!, TYPES[1]!]
  expect(eventGroups(apart, '').map(({ types }) => types.map(({ type }) => type))).toEqual([
    ['plan.ready', 'plan.saved'],
    ['version.approved'],
  ])
})
it('finds types that contain all words in their name, title or group, in any case', () => {
  const found = (search: string) =>
    eventGroups(TYPES, search).flatMap(({ types }) => types.map((t) => t.type))
  expect(found('READY strategy')).toEqual(['plan.ready'])
  expect(found('version')).toEqual(['version.approved'])
  expect(found('ready approved')).toEqual([])
})
it('selects and deselects a whole group and leaves the others unchanged', () => {
  const strategy = TYPES.slice(0, 2)
  expect(withAll(['version.approved', 'plan.saved'], strategy, true)).toEqual([
    'version.approved',
    'plan.ready',
    'plan.saved',
  ])
  expect(withAll(['version.approved', 'plan.saved'], strategy, false)).toEqual(['version.approved'])
})
