import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresServer, StopMode } from '../../postgres/server.ts'
import { oneOf, wholeNumber } from '../../support/random.ts'
import { Turns } from '../../support/turns.ts'
import type { FaultKind, World } from './kind.ts'

const DOWN_MS = { min: 0, max: 1_000 }
const BACKENDS = `
  SELECT count(pg_terminate_backend(pid)) AS ended FROM pg_stat_activity
  WHERE application_name = 'posthorn' AND random() < $1`

const namesOf = ({ nodes }: World) => nodes.map(({ name }) => name)

/** Faults of the server that all nodes share. */
export function databaseFaults(server: PostgresServer): FaultKind[] {
  const turns = new Turns()
  const restart: FaultKind = {
    name: 'database-restart',
    weight: 2,
    sparesProcesses: true,
    draw(random) {
      const mode = oneOf<StopMode | 'kill'>(random, ['fast', 'immediate', 'kill'])
      const ms = wholeNumber(random, DOWN_MS.min, DOWN_MS.max)
      return {
        text: `the database is stopped (${mode}), and back after ${ms} ms`,
        inject: (world) =>
          turns.take(async () => {
            const end = world.journal.silence(namesOf(world), `database ${mode}`)
            await (mode === 'kill' ? server.kill() : server.stop(mode))
            await sleep(ms)
            await server.start()
            end()
          }),
      }
    },
  }
  const terminate: FaultKind = {
    name: 'terminated-backends',
    weight: 2,
    sparesProcesses: true,
    draw(random) {
      const share = oneOf(random, [0.2, 0.5, 1])
      return {
        text: `of the database's connections, ${share * 100} % are ended`,
        inject: (world) =>
          turns.take(async () => {
            const end = world.journal.silence(namesOf(world), 'terminated backends')
            await server.query(BACKENDS, [share])
            end()
          }),
      }
    },
  }
  return [restart, terminate]
}
