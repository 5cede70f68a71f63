import { describe, expect, test } from 'vitest'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { StoreUnavailableError } from '../../src/storage/storage.ts'
import { ManualClock } from '../support/manualClock.ts'

const away = () => new StoreUnavailableError('connection refused')

function setUp() {
  const clock = new ManualClock()
  const lines: (readonly [level: string, message: string, fields: object])[] = []
  const at = (level: string) => (fields: object, message: string) => void lines.push([level, message, fields])
  const failureLog = new FailureLog(clock, { info: at('info'), warn: at('warn'), error: at('error') })
  return { clock, lines, failureLog, messages: () => lines.map(([, message]) => message) }
}

describe('failureLog', () => {
  test('an outage of a minute with four failures a second is logged in four lines', () => {
    const { clock, lines, failureLog } = setUp()
    for (let times = 0; times < 240; times++) {
      failureLog.failed('recording', away())
      clock.advance(250)
    }
    failureLog.worked('recording')
    failureLog.worked('recording')
    expect(lines).toEqual([
      [
        'error',
        'the store is unavailable; retrying',
        { reason: 'connection refused', work: ['recording'], failures: 1, for_ms: 0 },
      ],
      [
        'error',
        'the store is still unavailable; retrying',
        { reason: 'connection refused', work: ['recording'], failures: 121, for_ms: 30_000 },
      ],
      ['info', 'the store is available again', { failures: 240, for_ms: 60_000 }],
    ])
  })

  test('an unavailable store is logged once, whichever caller finds it so, and is back when it is for all of them', () => {
    const { clock, failureLog, messages } = setUp()
    failureLog.failed('recording', away())
    failureLog.failed('claiming', away())
    failureLog.worked('recording')
    failureLog.worked('renewal')
    clock.advance(1)
    expect(messages()).toEqual(['the store is unavailable; retrying'])
    failureLog.worked('claiming')
    expect(messages()).toEqual(['the store is unavailable; retrying', 'the store is available again'])
  })

  test('intermittent failures are not logged each time', () => {
    const { clock, failureLog, messages } = setUp()
    for (let times = 0; times < 100; times++) {
      failureLog.failed('recording', away())
      failureLog.worked('recording')
      clock.advance(100)
    }
    expect(messages()).toEqual(['the store is unavailable; retrying', 'the store is available again'])
    clock.advance(20_000)
    failureLog.failed('recording', away())
    expect(messages()).toHaveLength(3)
  })

  test('other errors are separate failures, logged with the error itself', () => {
    const { failureLog, lines, messages } = setUp()
    const error = new Error('a column is missing')
    failureLog.failed('claiming', error)
    failureLog.failed('claiming', error)
    failureLog.failed('recording', error)
    failureLog.failed('recording', away())
    expect(messages()).toEqual([
      'claiming failed; retrying',
      'recording failed; retrying',
      'the store is unavailable; retrying',
    ])
    expect(lines[0]![2]).toEqual({ err: error, failures: 1, for_ms: 0 })
    failureLog.worked('recording')
    expect(messages().slice(3)).toEqual(['recording works again', 'the store is available again'])
  })

  test('a call that never failed is not logged', () => {
    const { failureLog, lines } = setUp()
    failureLog.worked('claiming')
    expect(lines).toEqual([])
  })
})
