import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Scene } from '../../src/console/scene.ts'
import { EVENTS } from '../../src/support/events.ts'
import { ForwardProxy } from '../../src/support/forwardProxy.ts'
import { startScene } from './startScene.ts'

const OWNER = 'mira@acme.example'
const TYPE = 'generation.ready_for_review'
/** Pages regularly refresh. */
const PATIENT = { timeout: 60_000 }

let scene: Scene
let proxy: ForwardProxy

beforeAll(async () => {
  proxy = await ForwardProxy.start()
  scene = await startScene({ POSTHORN_EGRESS_PROXY: proxy.url })
})
afterAll(async () => {
  await scene.stop()
  proxy.stop()
})

test('while nothing can be sent, owners and operators see whose fault that is, until it is over', async () => {
  const workspace = await scene.workspace('content', 'acme', 'Acme Stories')
  const mira = await scene.member(workspace, OWNER, 'owner', 'Mira Keller')
  const url = scene.receiver.urlOf('/crm')
  const { id } = await scene.webhookOf(workspace, mira, { url, events: [TYPE], description: 'The CRM' })
  const publish = () => workspace.publish([EVENTS.content.make(TYPE)])
  await publish()
  const owner = await scene.signedIn(OWNER)
  await owner.page.goto(`/w/acme/webhooks/${id}`)
  await owner.page.getByRole('row', { name: TYPE }).getByText('204 No Content').waitFor(PATIENT)

  proxy.die()
  await publish()
  await owner.page.getByText('Sending has been paused on our side since').waitFor(PATIENT)
  await owner.page
    .getByText('No event is lost, and no attempt counts as a failure of your webhook.')
    .waitFor()
  const row = owner.page
    .getByRole('row', { name: TYPE })
    .filter({ hasText: 'waits because of a problem on our side' })
  await row.getByRole('link').first().click(PATIENT)
  await owner.page.getByText('This delivery waits because of a problem on our side').waitFor()

  const operator = await scene.signedIn(null)
  await operator.page.goto('/operator')
  await operator.page.getByText(/^Sending is on hold: this node cannot reach any receiver/).waitFor(PATIENT)

  await proxy.heal()
  await owner.page.getByRole('button', { name: 'Attempt 1' }).waitFor(PATIENT)
  await owner.page.getByText('Sending has been paused on our side').waitFor({ state: 'hidden', ...PATIENT })
  await operator.page.reload()
  await operator.page.getByRole('heading', { name: 'Outages' }).waitFor()
  expect(await operator.page.getByText('Sending is on hold').count()).toBe(0)
  const [held] = await workspace.deliveries(id)
  expect(held!.attempts).toHaveLength(1)
  expect(owner.faults.seen).toEqual([])
  expect(operator.faults.seen).toEqual([])
  await owner.context.close()
  await operator.context.close()
})
