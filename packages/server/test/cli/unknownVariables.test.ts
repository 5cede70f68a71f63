import { expect, test } from 'vitest'
import { SETTINGS } from '../../src/cli/settings.ts'
import { unknownVariables } from '../../src/cli/unknownVariables.ts'

test.each([
  ['POSTHORN_EGRES_ALLOW', 'POSTHORN_EGRESS_ALLOW'],
  ['POSTHORN_HSOT', 'POSTHORN_HOST'],
  ['POSTHORN_MAX_INFLIGHT', 'POSTHORN_MAX_IN_FLIGHT'],
  ['POSTHORN_ADMINTOKEN', 'POSTHORN_ADMIN_TOKEN'],
])('%s is reported with a suggestion', (name, meant) => {
  expect(unknownVariables(['PATH', name])).toEqual([
    `${name} is not a setting and is ignored; did you mean ${meant}?`,
  ])
})

test.each(['POSTHORN_COLOURS', 'POSTHORN_X', 'POSTHORN_'])('%s is reported without a suggestion', (name) => {
  expect(unknownVariables([name])).toEqual([`${name} is not a setting and is ignored`])
})

test('settings, and variables for tests or other programs, are not reported', () => {
  const settings = Object.values(SETTINGS).map(({ variable }) => variable)
  const tests = ['POSTHORN_TEST_STORE', 'POSTHORN_TEST_LONG_CUT', 'POSTHORN_SIMULATION_SEED']
  const kubernetes = ['POSTHORN_SERVICE_HOST', 'POSTHORN_SERVICE_PORT_HTTP', 'POSTHORN_PORT_8080_TCP_ADDR']
  expect(unknownVariables([...settings, ...tests, ...kubernetes, 'HOME'])).toEqual([])
})
