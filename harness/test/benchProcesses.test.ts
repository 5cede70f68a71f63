import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { cpuMicroseconds } from '../src/bench/measure/proc.ts'
import { cpuOfServer, writtenByServer } from '../src/bench/stage/serverProcesses.ts'

test('the usage of children counts once they have ended', () => {
  const before = cpuOfServer(process.pid)
  const own = cpuMicroseconds(process.pid)
  execFileSync(process.execPath, ['-e', 'while (process.cpuUsage().user < 200_000);'])
  const ofChildren = cpuOfServer(process.pid) - before - (cpuMicroseconds(process.pid) - own)
  expect(ofChildren).toBeGreaterThanOrEqual(150_000)
  expect(writtenByServer(process.pid)).toBeGreaterThanOrEqual(0)
})
