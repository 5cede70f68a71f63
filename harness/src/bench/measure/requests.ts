import { setTimeout as sleep } from 'node:timers/promises'
import {
  type FromRequester,
  REQUESTER,
  type RepeatedRequest,
  type RequesterStart,
  type ToRequester,
} from '../programs/requester.ts'
import type { Stage } from '../stage/stage.ts'
import { watchFailures } from './failures.ts'
import { cpuMicroseconds } from './proc.ts'

const IN_FLIGHT = 32
const WARM_UP_MS = 3_000

/** Repeats one request. @returns CPU of the process with this id, µs per request */
export async function cpuOfRequest(
  stage: Stage,
  pid: number,
  origin: string,
  request: RepeatedRequest,
  seconds: number,
): Promise<number> {
  const start: RequesterStart = { origin, request, inFlight: IN_FLIGHT }
  const requester = stage.start<ToRequester, FromRequester>(REQUESTER, start)
  const check = watchFailures(requester, 'request')
  const sample = async () => ({
    answered: (await requester.ask({ kind: 'count' }, 'count')).answered,
    cpu: cpuMicroseconds(pid),
  })
  await sleep(WARM_UP_MS)
  const before = await sample()
  await sleep(seconds * 1000)
  const after = await sample()
  check()
  await requester.stop()
  return (after.cpu - before.cpu) / (after.answered - before.answered)
}
