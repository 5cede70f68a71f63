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
/** Files of one worker share the modules, and loading those was half of the work. Time limits only end what hangs. */
const patience = {
  testTimeout: 60_000,
  hookTimeout: 120_000,
  isolate: false,
  setupFiles: ['tools/putBack.ts'],
}
/** Only on PostgreSQL: the embedded store is upgraded by one process. */
const ROLLING = 'harness/test/rollingUpgrade.test.ts'
/** What takes long and seldom finds anything that the rest does not: `npm run test:long` runs it. */
const LONG = [
  // Crowds of receivers over days.
  'packages/server/test/simulation/{mixedHealth,neighbours,outages,recovery}.test.ts',
  // Whether what measures and torments the service does so.
  'harness/test/{bench,namespaces}*.test.ts',
  'harness/test/{faultsLosses,faultsRuns,faultsVerdict,fuzzDocuments,fuzzTeeth,fuzzValues}.test.ts',
  // Every page and every command with whatever can be written into it, or in whatever order it fails.
  'harness/test/console/hostileContent.test.ts',
  'harness/test/move/{interrupted,preconditions}.test.ts',
  // An hour.
  'harness/test/soak.test.ts',
  // Waits for alerts of a real Prometheus.
  'harness/test/ops/prometheus.test.ts',
  // Installs Node 22 and 24, Bun and Deno.
  'packages/receiver/test/package/runtimes.test.ts',
  // Builds helm, the image and a release; gets Caddy.
  'harness/test/deploy/{chart,compose,image,release}.test.ts',
  // Builds an earlier program, and runs three nodes of each on PostgreSQL.
  ROLLING,
]
/** Of these, the long run does more than every change is tested with. */
const DOSED = [
  'harness/test/{fuzz,killed,limits,masterKeys,outbox,receiving,recovering,schemathesis,subscribers}.test.ts',
  'harness/test/console/everyPage.test.ts',
]
/** Starts, copies and restores PostgreSQL servers. */
const RESTORED = 'packages/server/test/outbox/restored.test.ts'
const LONG_DOSE = { POSTHORN_TEST_DOSE: 'long' }
const ON_POSTGRES = { POSTHORN_TEST_STORE: 'postgres' }
/** Files that wait for servers, retries and pages more than they compute: twice as many at once keep two cores at work. */
const waiting = { ...patience, testTimeout: 120_000, maxWorkers: 4, sequence: { groupOrder: 1 } }

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
          exclude: [POSTGRES_CONFORMANCE, RESTORED, ...LONG],
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
      {
        ...resolution,
        test: {
          ...waiting,
          // What must hold on every store, once more on PostgreSQL.
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
          globalSetup: CHROMIUM,
          env: LONG_DOSE,
          include: [...LONG.filter((file) => file !== ROLLING), ...DOSED],
        },
      },
      {
        ...resolution,
        test: {
          ...waiting,
          // The service and its console above PostgreSQL. What they ask of the store, conformance and acceptance ask as well.
          name: 'long-postgres',
          globalSetup: CHROMIUM,
          env: { ...ON_POSTGRES, ...LONG_DOSE },
          include: [
            RESTORED,
            'packages/server/test/http/**/*.test.ts',
            ROLLING,
            'harness/test/{commands,fuzz}.test.ts',
            'harness/test/console/{consumers,find,limits,manualSends,numbers,recover,replays,signIn,switches,warnings,webhookList}.test.ts',
          ],
          exclude: [
            // What these find out does not come from the store.
            'packages/server/test/http/bodies/**',
            'packages/server/test/http/{documents,live}.*.test.ts',
            'packages/server/test/http/{console.eventTypes,console.service,signedIn}.test.ts',
            'packages/server/test/http/{authorisation,badInput,commonHeaders,etag,hostileTargets,largeBodies,methods}.test.ts',
            'packages/server/test/http/{parts,protocol,requestBounds,sessionCookie,sparingLog,throttle,twoNodes}.test.ts',
            'packages/server/test/http/{uploads,wrongCredentials}.test.ts',
          ],
        },
      },
    ],
  },
})
