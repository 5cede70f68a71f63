import { expect, test } from 'vitest'
import { serviceOf } from '../../src/profiles/compile.ts'
import { profileOf } from '../../src/profiles/profile.ts'

const WORKSPACE = { publicId: 'ws_1', slug: 'acme', name: 'Acme' }

test.each([
  [{}, null],
  [{ otherwise: 'none' }, 'none'],
])('an envelope writes a null member as %j', (more, expected) => {
  const { envelope } = serviceOf(
    profileOf({
      profile: 1,
      name: 'billing',
      title: 'Billing',
      event: { members: { actor: { schema: { type: ['string', 'null'] } } } },
      envelope: {
        members: [
          { path: 'data', field: 'data' },
          { path: 'actor', field: 'actor', ...more },
        ],
      },
    }),
    {},
  )
  const event = { type: 'invoice.paid', data: {}, members: { actor: null } }
  expect(JSON.parse(envelope.prepare(event, WORKSPACE, null)('evt_1', 0))).toEqual({
    data: {},
    actor: expected,
  })
})
