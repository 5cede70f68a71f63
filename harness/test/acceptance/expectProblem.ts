import { expect } from 'vitest'
import type { Call } from '../../src/api/client.ts'
import { call } from './world.ts'

/** Expects the call to be rejected with this status and code. */
export async function expectProblem(id: string, what: Call, status: number, code: string): Promise<void> {
  const answer = await call(id, what)
  expect([answer.status, answer.json.code], answer.text).toEqual([status, code])
}
