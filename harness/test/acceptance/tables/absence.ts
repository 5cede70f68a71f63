import { describe, expect, test } from 'vitest'
import type { Call } from '../../../src/api/client.ts'
import { openAccount, otherService, serviceOf } from '../accounts.ts'
import { expectProblem } from '../expectProblem.ts'
import { type Described, hasCode, operations, parameterNames, titled } from '../operations.ts'
import { sampleIn, sampleOf } from '../samples/index.ts'
import { call } from '../world.ts'

const expectNothing = (id: string, what: Call) => expectProblem(id, what, 404, 'not_found')

const withParam = (sample: Call, name: string, value: string): Call => ({
  ...sample,
  params: { ...sample.params, [name]: value },
})

/** An unused id of the same form. */
const another = (id: string) => id.slice(0, -1) + (id.endsWith('0') ? '1' : '0')

/**
 * Whether a value of another workspace is equally valid: the operator works on all of them, and event types
 * belong to none.
 */
const isFree = ({ document, path }: Described, name: string) => {
  const isOperators = document === 'admin' && !(path.includes('{ws}') && path.includes('{id}'))
  return isOperators || name === 'type'
}

export function absence(): void {
  const named = operations.filter((operation) => parameterNames(operation, 'path').length > 0)

  test.each(titled(named))('%s finds nothing under unused ids', async (id, operation) => {
    const sample = await sampleOf(operation)
    for (const name of parameterNames(operation, 'path')) {
      for (const value of [another(sample.params![name]!), 'nonsense', 'x'.repeat(300), 'a/b', 'é\u0000']) {
        await expectNothing(id, withParam(sample, name, value))
      }
    }
    expect((await call(id, sample)).status).toBeLessThan(300)
  })

  test.each(titled(named))('%s finds nothing of another workspace', async (id, operation) => {
    const [sample, theirs] = [await sampleOf(operation), await sampleOf(operation)]
    for (const name of parameterNames(operation, 'path').filter((one) => !isFree(operation, one))) {
      await expectNothing(id, withParam(sample, name, theirs.params![name]!))
    }
    if (operation.document !== 'admin') await expectNothing(id, { ...theirs, key: sample.key! })
  })

  describe('a key of the other service', () => {
    const withKeys = operations.filter((one) => hasCode(one, 'key_invalid') && hasCode(one, 'not_found'))
    test.each(titled(withKeys))('finds no %s', async (id, operation) => {
      const account = await openAccount(serviceOf(operation))
      const { key } = await openAccount(otherService(account.service))
      await expectNothing(id, { ...(await sampleIn(account, operation)), key })
    })
  })
}
