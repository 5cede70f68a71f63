import { defineConfig } from 'vitest/config'

process.env.LC_ALL = 'C.UTF-8'
process.env.TZ = 'UTC'
// Rare bugs need many seeds; the first failure ends the suite.
process.env.POSTHORN_SIMULATION_RUNS = '150'

const conditions = ['posthorn-source']

/** For one suite at a time on a tree with a mutant; starts only what the suite needs. */
export default defineConfig({
  ssr: { resolve: { conditions } },
  resolve: { conditions },
  test: {
    globalSetup: process.env.MUTANT_NEEDS === 'postgres' ? ['tools/postgresForTests.ts'] : [],
    include: ['packages/server/test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
  },
})
