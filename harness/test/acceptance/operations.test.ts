import { mkdirSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations, sources } from './operations.ts'
import { adsStories } from './stories/ads.ts'
import { consoleStories, lastStory } from './stories/console.ts'
import { consumerStories } from './stories/consumers.ts'
import { contentStories } from './stories/content.ts'
import { limitStories } from './stories/limits.ts'
import { numbersStories } from './stories/numbers.ts'
import { operationalStories } from './stories/operational.ts'
import { provisioningStories } from './stories/provisioning.ts'
import { quotaStories } from './stories/quotas.ts'
import { webhookListStories } from './stories/webhookList.ts'
import { absence } from './tables/absence.ts'
import { authentication } from './tables/authentication.ts'
import { authorization } from './tables/authorization.ts'
import { bodies } from './tables/bodies.ts'
import { inputs } from './tables/inputs.ts'
import { repeats } from './tables/repeats.ts'
import { success } from './tables/success.ts'
import { versions } from './tables/versions.ts'
import { visibility } from './tables/visibility.ts'
import { coverage, seenCodes, serviceUrl, startWorld, stopWorld } from './world.ts'

beforeAll(startWorld)
afterAll(stopWorld)

test.each(sources)(
  'the service serves the document of $name that is in docs/api',
  async ({ name, source }) => {
    const served = (await (await fetch(`${serviceUrl()}/openapi/${name}.json`)).json()) as typeof source
    // Its descriptions and webhooks depend on the settings.
    expect(served.paths).toEqual(source.paths)
    expect(served.components).toEqual(source.components)
  },
)

describe('success', success)
describe('credentials', authentication)
describe('scopes and roles', authorization)
describe('contents of events', visibility)
describe('identifiers', absence)
describe('bodies of requests', bodies)
describe('invalid input', inputs)
describe('an idempotency key', repeats)
describe('If-Match', versions)
describe('the content service', contentStories)
describe('the advertising platform', adsStories)
describe('lists of webhooks', webhookListStories)
describe('limits of webhooks', limitStories)
describe('operational webhooks', operationalStories)
describe('quotas', quotaStories)
describe('consumers', consumerStories)
describe('provisioning', provisioningStories)
describe('numbers', numbersStories)
describe('the console', consoleStories)

/** Operations in rows, statuses in columns. */
const TABLE = new URL('../../coverage/operations.txt', import.meta.url)

describe('at the end', lastStory)

describe('afterwards', () => {
  test('every operation has given every answer that it describes, except server errors', () => {
    const table = `${coverage().table()}\n`
    mkdirSync(new URL('.', TABLE), { recursive: true })
    writeFileSync(TABLE, table)
    process.stdout.write(`\n${table}`)
    expect(coverage().gaps([])).toEqual([])
  })

  test('every operation has given every error code that it describes, and no other', () => {
    expect(seenCodes.gaps(operations)).toEqual([])
  })
})
