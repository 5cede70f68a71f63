import { defineConfig } from 'vitest/config'
import LongestFirst from './tools/longestFirst.ts'

// Results must not depend on the language and time zone of the machine. Every process that runs tests
// inherits these.
process.env.LC_ALL = 'C.UTF-8'
process.env.TZ = 'UTC'

/** Uses sources instead of builds. */
const conditions = ['posthorn-source']
const resolution = { ssr: { resolve: { conditions } }, resolve: { conditions } }
const CHROMIUM = 'tools/chromiumForTests.ts'
const SITE = 'tools/siteForTests.ts'
/** The store's guarantees, repeated on PostgreSQL. */
const POSTGRES_CONFORMANCE = 'packages/server/test/storage/postgres.conformance.test.ts'
/**
 * Files of one worker share the modules, since loading those was half of the work. Time limits only end
 * hanging tests.
 */
const patience = {
  testTimeout: 60_000,
  hookTimeout: 120_000,
  isolate: false,
  setupFiles: ['tools/putBack.ts'],
}
/** Only on PostgreSQL: the embedded store is upgraded by one process. */
const ROLLING = 'harness/test/rollingUpgrade.test.ts'
/** Slow tests that rarely find what the others do not: `npm run test:long` runs them. */
const LONG = [
  // Crowds of receivers over days.
  'packages/server/test/simulation/{mixedHealth,neighbors,outages,recovery}.test.ts',
  // Tests of the benchmark and fault tools themselves.
  'harness/test/{bench,namespaces}*.test.ts',
  'harness/test/{faultsLosses,faultsRuns,faultsVerdict,fuzzDocuments,fuzzTeeth,fuzzValues}.test.ts',
  // Every page and every command with hostile input, or with failures in any order.
  'harness/test/console/hostileContent.test.ts',
  'harness/test/move/{interrupted,preconditions}.test.ts',
  // An hour.
  'harness/test/soak.test.ts',
  // Waits for alerts of a real Prometheus.
  'harness/test/ops/prometheus.test.ts',
  // Installs Node 22 and 24, Bun and Deno.
  'packages/receiver/test/package/runtimes.test.ts',
  // Builds helm, the image and a release; downloads Caddy.
  'harness/test/deploy/{chart,compose,image,release}.test.ts',
  // Builds an earlier program, and runs three nodes of each on PostgreSQL.
  ROLLING,
]
/** In these, the long run does more than the run for every change. */
const DOSED = [
  'harness/test/{fuzz,killed,limits,masterKeys,outbox,receiving,recovering,schemathesis,subscribers}.test.ts',
  'harness/test/console/everyPage.test.ts',
  'harness/test/help/site.test.ts',
]
/** Starts, copies and restores PostgreSQL servers. */
const RESTORED = 'packages/server/test/outbox/restored.test.ts'
const LONG_DOSE = { POSTHORN_TEST_DOSE: 'long' }
const ON_POSTGRES = { POSTHORN_TEST_STORE: 'postgres' }
/**
 * Files that wait for servers, retries and pages more than they compute: twice as many workers keep two cores
 * busy.
 */
const waiting = {
  ...patience,
  testTimeout: 300_000,
  hookTimeout: 300_000,
  maxWorkers: 4,
  sequence: { groupOrder: 1 },
}

export default defineConfig({
  test: {
    globalSetup: ['tools/buildForTests.ts', 'tools/postgresForTests.ts'],
    // Every test file starts its own servers and stores, and sometimes waits for them: one worker more than
    // cores keeps those busy.
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
          exclude: [POSTGRES_CONFORMANCE, RESTORED, ...LONG],
        },
      },
      {
        ...resolution,
        test: {
          ...waiting,
          // The built programs from outside: browser tests, acceptance, random requests, faults.
          name: 'harness',
          globalSetup: [CHROMIUM, SITE],
          include: ['harness/test/**/*.test.ts'],
          exclude: LONG,
        },
      },
      {
        ...resolution,
        test: {
          ...waiting,
          // Guarantees of every store, repeated on PostgreSQL.
          name: 'postgres',
          env: ON_POSTGRES,
          include: [
            POSTGRES_CONFORMANCE,
            'packages/server/test/engine/{rules,isolation}.test.ts',
            'harness/test/acceptance/**/*.test.ts',
            'harness/test/delivery.test.ts',
          ],
        },
      },
      {
        ...resolution,
        test: {
          ...waiting,
          name: 'long',
          globalSetup: [CHROMIUM, SITE],
          env: LONG_DOSE,
          include: [...LONG.filter((file) => file !== ROLLING), ...DOSED],
        },
      },
      {
        ...resolution,
        test: {
          ...waiting,
          // The service and its console on PostgreSQL. Conformance and acceptance tests cover the same
          // storage calls.
          name: 'long-postgres',
          globalSetup: [CHROMIUM],
          env: { ...ON_POSTGRES, ...LONG_DOSE },
          include: [
            RESTORED,
            'packages/server/test/http/**/*.test.ts',
            ROLLING,
            'harness/test/{commands,fuzz}.test.ts',
            'harness/test/console/{consumers,find,limits,manualSends,numbers,recover,replays,signIn,switchControls,warnings,webhookList}.test.ts',
          ],
          exclude: [
            // The results of these do not depend on the store.
            'packages/server/test/http/bodies/**',
            'packages/server/test/http/{documents,live}.*.test.ts',
            'packages/server/test/http/{console.eventTypes,console.service,signedIn}.test.ts',
            'packages/server/test/http/{authorization,badInput,commonHeaders,etag,hostileTargets,largeBodies,methods}.test.ts',
            'packages/server/test/http/{parts,protocol,requestBounds,sessionCookie,rateLimitedLogger,throttle,twoNodes}.test.ts',
            'packages/server/test/http/{uploads,wrongCredentials}.test.ts',
          ],
        },
      },
    ],
  },
})
