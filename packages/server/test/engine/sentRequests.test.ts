import { expect, test } from 'vitest'
import { rebuildRequest } from '../../src/engine/attempt/sentRequests.ts'
import { createSecretBox, type SecretBox } from '../../src/engine/secretBox.ts'
import { toyDialect } from '../support/toyDialect.ts'

const OWNER = 'toy-hook-1'
const box = createSecretBox([new Uint8Array(32).fill(1)])
const sealed = (fill: number) => box.seal(toyDialect.secrets.make(new Uint8Array(40).fill(fill)), OWNER)

function rebuilt(secrets: readonly Uint8Array[], secretBox: SecretBox = box) {
  const event = {
    id: 1,
    broughtId: null,
    type: 'brick.stacked',
    body: '{"é":1}',
    createdAt: 5_000,
  }
  return rebuildRequest({
    dialect: toyDialect,
    secretBox,
    webhookPublicId: OWNER,
    workspaceSlug: 'toys',
    eventId: 'toy-evt-brick',
    deliveryId: 'toy-dlv-1',
    sent: {
      number: 2,
      startedAt: 61_000,
      profileVersion: 0,
      url: 'https://toys.example.com:8443/in?a=b',
      secrets,
      event,
    },
  })
}

test('however many secrets there were, only those that could sign are decrypted to show a request again', () => {
  let opened = 0
  const counting: SecretBox = {
    ...box,
    open: (...args) => {
      opened += 1
      return box.open(...args)
    },
  }
  const secrets = [9, 8, 7, 6, 5].map(sealed)
  expect(rebuilt(secrets, counting)).toEqual(rebuilt(secrets.slice(0, 3)))
  expect(opened).toBe(3)
})
