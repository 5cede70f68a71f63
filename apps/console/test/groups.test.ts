import { expect, it } from 'vitest'
import { groupsFound, withAll } from '../src/pages/webhooks/form/groups.ts'

const type = (name: string, group: string, title: string) => ({ type: name, group, title, description: '' })
const TYPES = [
  type('plan.ready', 'Strategy', 'Plan ready'),
  type('plan.saved', 'Strategy', 'Plan saved'),
  type('version.approved', 'Versions', 'Version approved'),
]

it('shows every type by group, in the order of the catalog', () => {
  expect(groupsFound(TYPES, ' ').map(({ name, types }) => [name, types.length])).toEqual([
    ['Strategy', 2],
    ['Versions', 1],
  ])
})
it('finds types that have all words, in their name, title or group, in any case', () => {
  const found = (search: string) =>
    groupsFound(TYPES, search).flatMap(({ types }) => types.map((t) => t.type))
  expect(found('READY strategy')).toEqual(['plan.ready'])
  expect(found('version')).toEqual(['version.approved'])
  expect(found('ready approved')).toEqual([])
})
it('ticks and unticks a whole group and leaves others alone', () => {
  const strategy = TYPES.slice(0, 2)
  expect(withAll(['version.approved', 'plan.saved'], strategy, true)).toEqual([
    'version.approved',
    'plan.ready',
    'plan.saved',
  ])
  expect(withAll(['version.approved', 'plan.saved'], strategy, false)).toEqual(['version.approved'])
})
