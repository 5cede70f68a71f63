import { existsSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { countDuring, countOf, startCountingReceiver } from '../src/bench/measure/counting.ts'
import { FullSpeedPublisher } from '../src/bench/measure/fullSpeedPublisher.ts'
import { measureOnStage } from '../src/bench/measure/measureOnStage.ts'
import { onStage, type Stage } from '../src/bench/stage/stage.ts'
import { Program } from '../src/support/program.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { eventually } from '../src/support/waiting.ts'
import type { FromStageOwner } from './stageOwnerProgram.ts'

let dataParent: string
beforeEach(() => {
  dataParent = makeDirectory()
})
afterEach(() => removeDirectory(dataParent))

const onSmallStage = <T>(use: (stage: Stage) => Promise<T>) =>
  onStage({ store: 'sqlite', tls: false, dataParent }, use)

test('a rejected publish during the warm-up ends it', async () => {
  await onSmallStage(async (stage) => {
    // Answers 204, which a publish never gets.
    const { receiver, origin } = await startCountingReceiver(stage, stage.file('received'))
    const hook = {
      path: '/hooks/0',
      secret: 'none',
      webhookPath: '/',
      publishPath: '/',
      batchPath: '/batch',
      key: 'none',
      event: {},
      body: '{}',
    }
    const publisher = FullSpeedPublisher.start(stage, [{ url: origin }], [hook], { idsFile: null })
    const window = { warmUpDeliveries: Number.POSITIVE_INFINITY, seconds: 0 }
    const measuring = countDuring(
      () => countOf([receiver]),
      window,
      () => null,
      () => publisher.check(),
    )
    await expect(measuring).rejects.toThrow('a publish failed: Error: 204')
  })
})

test('a dead service makes a run unsound, and its failure is reported with the later ones', async () => {
  const die = async (stage: Stage) => {
    const service = await stage.startService()
    process.kill(service.pid, 'SIGABRT')
    await service.exited
  }
  const complaint = 'a service ended with {"code":null,"signal":"SIGABRT"}'
  const { complaints } = await measureOnStage({ store: 'sqlite', tls: false, dataParent }, async (stage) => {
    await die(stage)
    return { metrics: {}, complaints: ['1 event was lost'] }
  })
  expect(complaints).toEqual(['1 event was lost', expect.stringContaining(complaint)])
  const failing = onSmallStage(async (stage) => {
    await die(stage)
    stage.check()
  })
  await expect(failing).rejects.toThrow(complaint)
})

test('a service killed on purpose is not a failure, but one that died before is', async () => {
  await onSmallStage(async (stage) => {
    await stage.kill(await stage.startService())
    expect(stage.complaints).toEqual([])
    const service = await stage.startService()
    process.kill(service.pid, 'SIGABRT')
    await service.exited
    await stage.kill(service)
    expect(stage.complaints).toEqual([expect.stringContaining('"signal":"SIGABRT"')])
  })
})

test('a stopped service is not a failure', async () => {
  const complaints = await onSmallStage(async (stage) => {
    await (await stage.startService()).stop()
    return stage.complaints
  })
  expect(complaints).toEqual([])
})

test('a stage is removed soon after its process was killed, with its service', async () => {
  const file = new URL('stageOwnerProgram.ts', import.meta.url)
  const owner = new Program<never, FromStageOwner>(file, { dataParent })
  const { directory, url } = await owner.next('started')
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  await owner.stop()
  await eventually(() => (existsSync(directory) ? null : true), {
    withinMs: 20_000,
    what: 'end of a stage without owner',
  })
  await expect(fetch(`${url}/readyz`)).rejects.toThrow()
})
