import { defineConfig } from 'vitest/config'

export default defineConfig({
  ssr: { resolve: { conditions: ['posthorn-source'] } },
  resolve: { conditions: ['posthorn-source'] },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'harness/test/**/*.test.ts'],
    globalSetup: ['tools/buildForTests.ts', 'tools/postgresForTests.ts'],
    // Every test file starts servers and stores of its own; more files at once than cores only makes them wait.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', './tools/closingLineReporter.ts'],
  },
})
