import { afterEach, beforeEach, expect, test } from 'vitest'
import { acceptedBy, PacedPublisher, startMeasuringReceiver } from '../src/bench/measure/paced.ts'
import { onStage } from '../src/bench/stage/stage.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'

let dataParent: string
beforeEach(() => {
  dataParent = makeDirectory()
})
afterEach(() => removeDirectory(dataParent))

const GROUP = 'direct'
const STREAM = {
  group: GROUP,
  path: `/${GROUP}/0`,
  key: 'none',
  template: '{}',
  events: 1,
  requestsPerSecond: 0,
}

test.each([false, true])('a publisher reaches the receiver without a service (HTTPS: %s)', async (tls) => {
  await onStage({ store: 'sqlite', tls, dataParent }, async (stage) => {
    const { receiver, origin } = await startMeasuringReceiver(stage, { idsFile: null })
    await receiver.ask({ kind: 'behave', group: GROUP, behaviour: { kind: 'status', status: 202 } }, 'done')
    const publisher = await PacedPublisher.start(stage, origin, [STREAM], null)
    publisher.once()
    expect(await acceptedBy(receiver, 1)).toMatchObject({ accepted: { [GROUP]: 1 } })
  })
})
