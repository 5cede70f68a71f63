import fc from 'fast-check'
import { expect, test } from 'vitest'
import { subjectsOf } from '../../../../apps/console/src/model/searchable.ts'
import { askedWords, pathsOf, wordsIn } from '../../src/core/search/words.ts'

const MEMBERS = ['data.id', 'data.*_id', 'data.*Id', 'data.name', 'data.title', 'data.*.id']

test('the subject that the console shows for an event is indexed', () => {
  const name = fc.constantFrom('id', 'order_id', 'shop_id', 'userId', 'name', 'title', 'valid', 'note')
  const { data } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.stringMatching(/^[a-z0-9_]{0,8}$/),
      fc.nat(),
      fc.boolean(),
      tie('list'),
      tie('data'),
    ),
    list: fc.oneof(
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.nat(), { minLength: 20, maxLength: 40 }),
    ),
    data: fc.dictionary(name, tie('value'), { maxKeys: 6 }),
  }))
  fc.assert(
    fc.property(data, (value) => {
      const body = { data: value }
      const words = wordsIn(JSON.stringify(body), pathsOf(MEMBERS))
      for (const subject of subjectsOf(body, { members: MEMBERS, data: 'data' }))
        for (const word of askedWords(subject.value)) expect(words).toContain(word)
    }),
  )
})
