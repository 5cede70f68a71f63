import { describe, expect, it } from 'vitest'
import type { EventType } from '../src/api/eventTypes.ts'
import type { Webhook } from '../src/model/webhook.ts'
import { takersOf } from '../src/pages/events/takersOf.ts'

const entry = (type: string, group: string, subscribable = true): EventType => ({
  ...{ type, group, subscribable },
  title: `Title of ${type}`,
  description: 'Sent now and then.',
  schema: {},
  example: {},
})
const types = [entry('a.b', 'First'), entry('c.d', 'Second'), entry('a.e', 'First')]

describe('takersOf', () => {
  const taking = (...eventTypes: string[]) => ({ id: eventTypes.join(), eventTypes }) as unknown as Webhook
  const webhooks = [taking('a.b'), taking('c.d'), taking()]
  it('are those that list the type and those that receive all types', () => {
    expect(takersOf(webhooks, types[0]!).map(({ id }) => id)).toEqual(['a.b', ''])
  })
  it('are empty where webhooks cannot be added', () => {
    expect(takersOf(webhooks, entry('a.b', 'First', false))).toEqual([])
  })
})
