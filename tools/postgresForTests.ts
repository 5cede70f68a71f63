import type { TestProject } from 'vitest/node'
import { FAST_SETTINGS, startPostgres } from '../harness/src/postgres/server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a superuser, in the server that all test files share. */
    postgresUrl: string
  }
}

/** One PostgreSQL server for all test files: each creates its own databases or schemas in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres({ settings: FAST_SETTINGS })
  project.provide('postgresUrl', server.url())
  return () => server.remove()
}
