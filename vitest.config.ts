import { defineConfig } from 'vitest/config'
import LongestFirst from './tools/longestFirst.ts'

// The language and time zone of the machine must not decide how a test ends. Every process that runs tests inherits these.
process.env.LC_ALL = 'C.UTF-8'
process.env.TZ = 'UTC'

/** Sources, not what was built of them. */
const conditions = ['posthorn-source']
const resolution = { ssr: { resolve: { conditions } }, resolve: { conditions } }
const CHROMIUM = ['tools/chromiumForTests.ts']
/** What the store promises, once more on PostgreSQL. */
const POSTGRES_CONFORMANCE = 'packages/server/test/storage/postgres.conformance.test.ts'
/** Files of one worker share the modules, and loading those was half of the work. */
const patience = {
  testTimeout: 30_000,
  hookTimeout: 60_000,
  isolate: false,
  setupFiles: ['tools/putBack.ts'],
}
/** Crowds of receivers over days, and whether what measures and torments the service does so: `npm run test:long` runs them. */
const LONG = [
  'packages/server/test/simulation/{mixedHealth,neighbours,outages,recovery}.test.ts',
  'harness/test/{benchAttacks,benchFailures,benchStore,fuzzTeeth}.test.ts',
]
/** Files that wait for servers, retries and pages more than they compute: twice as many at once keep two cores at work. */
const waiting = { ...patience, maxWorkers: 4, sequence: { groupOrder: 1 } }

export default defineConfig({
  test: {
    globalSetup: ['tools/buildForTests.ts', 'tools/postgresForTests.ts'],
    // Every test file starts servers and stores of its own, and waits for them now and then: one more than cores keeps those at work.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './tools/slowestFilesReporter.ts', './tools/closingLineReporter.ts'],
    projects: [
      {
        ...resolution,
        test: {
          ...patience,
          // Every guarantee once, within one process: what `npm test` runs.
          name: 'main',
          include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts'],
          exclude: [POSTGRES_CONFORMANCE, ...LONG],
        },
      },
      {
        ...resolution,
        test: {
          ...waiting,
          // The built programs from outside: journeys in a browser, acceptance, random requests, faults.
          name: 'harness',
          globalSetup: CHROMIUM,
          include: ['harness/test/**/*.test.ts'],
          exclude: LONG,
        },
      },
      { ...resolution, test: { ...waiting, name: 'long', include: LONG } },
      {
        ...resolution,
        test: {
          ...waiting,
          // What stands above the store, once more: here services and engines run on PostgreSQL.
          name: 'postgres',
          globalSetup: CHROMIUM,
          env: { POSTHORN_TEST_STORE: 'postgres' },
          include: [
            POSTGRES_CONFORMANCE,
            'packages/server/test/engine/{rules,isolation}.test.ts',
            'packages/server/test/http/**/*.test.ts',
            'harness/test/acceptance/**/*.test.ts',
            'harness/test/{commands,delivery,fuzz}.test.ts',
            'harness/test/console/replays.test.ts',
          ],
          exclude: [
            // What these find out does not come from the store.
            'packages/server/test/http/bodies/**',
            'packages/server/test/http/{documents,live}.*.test.ts',
            'packages/server/test/http/{console.eventTypes,console.service,signedIn}.test.ts',
            'packages/server/test/http/{authorisation,badInput,commonHeaders,etag,hostileTargets,largeBodies,methods}.test.ts',
            'packages/server/test/http/{parts,protocol,requestBounds,sessionCookie,sparingLog,throttle,twoNodes}.test.ts',
            'packages/server/test/http/{uploads,wrongCredentials}.test.ts',
            // They ask at length what the conformance suite and the acceptance suite ask of PostgreSQL.
            'packages/server/test/http/{deliveries.lists,idempotency}.test.ts',
          ],
        },
      },
    ],
  },
})
