import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../../src/cli/config/parseConfig.ts'
import { changesBetween, Reloader } from '../../../src/cli/config/reload.ts'
import type { Config, SettingName } from '../../../src/cli/settings.ts'

type Texts = Partial<Record<SettingName, string>>

function changes(from: Texts, to: Texts) {
  const { config, applied, waiting } = changesBetween(parseConfig(from), parseConfig(to))
  return { config, applied, waiting }
}

describe('of settings that changed', () => {
  test('the applicable ones are applied, and the others wait', () => {
    const { config, applied, waiting } = changes(
      { maxReplays: '2', lease: '20s' },
      { maxReplays: '3', lease: '30s', port: '1', maxWebhooks: '5' },
    )
    expect(applied).toEqual(['POSTHORN_MAX_REPLAYS_PER_WORKSPACE'])
    expect(waiting).toEqual(['POSTHORN_PORT', 'POSTHORN_LEASE', 'POSTHORN_MAX_WEBHOOKS_PER_WORKSPACE'])
    expect(config).toMatchObject({ maxReplays: 3, lease: 20_000, port: 8080, maxWebhooks: 10_000 })
  })

  test('values with the same parsed result count as unchanged', () => {
    const same = changes(
      { masterKey: Buffer.alloc(32, 1).toString('base64'), egressAllow: '10.0.0.0/8' },
      {
        masterKey: ` ${Buffer.alloc(32, 1).toString('base64')}`,
        egressAllow: '10.0.0.0/8',
      },
    )
    expect([same.applied, same.waiting]).toEqual([[], []])
  })

  test('master keys in another order, or an additional one, wait for a restart', () => {
    const [one, two] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'))
    for (const [from, to] of [
      [`${one},${two}`, `${two},${one}`],
      [`${one}`, `${one}\n${two}`],
    ] as const) {
      const { config, applied, waiting } = changes({ masterKey: from }, { masterKey: to })
      expect([applied, waiting]).toEqual([[], ['POSTHORN_MASTER_KEY']])
      expect(config.masterKey).toEqual(parseConfig({ masterKey: from }).masterKey)
    }
  })
})

/** Reads wait until the test releases them. */
function reloaderOf(apply: (config: Config) => () => void = () => () => {}) {
  const reads: ((to: Texts | readonly string[]) => void)[] = []
  const logged: [level: string, message: string, fields: object][] = []
  const log = (level: string) => (fields: object, message: string) => logged.push([level, message, fields])
  const reloader = new Reloader({
    running: parseConfig({}),
    read: () =>
      new Promise((resolve) => {
        reads.push((to) =>
          resolve({
            config: Array.isArray(to) ? null : parseConfig(to as Texts),
            mistakes: Array.isArray(to) ? to : [],
            given: new Map(),
            ofServices: new Map(),
            openFiles: [],
            names: [],
          }),
        )
      }),
    prepare: apply,
    logger: { info: log('info'), warn: log('warn'), error: log('error') },
  })
  return { reloader, reads, logged }
}

describe('a reload', () => {
  test('requested many times during another runs once more after it', async () => {
    const applied: number[] = []
    const { reloader, reads } = reloaderOf((config) => () => void applied.push(config.maxReplays))
    const first = reloader.reload()
    void reloader.reload()
    void reloader.reload()
    expect(reads).toHaveLength(1)
    reads[0]!({ maxReplays: '2' })
    await expect.poll(() => reads.length).toBe(2)
    reads[1]!({ maxReplays: '3' })
    await first
    expect(applied).toEqual([2, 3])
    expect(reads).toHaveLength(2)
  })

  test('with mistakes, or values that cannot be prepared, applies nothing, and later ones work', async () => {
    const applied: number[] = []
    const { reloader, reads, logged } = reloaderOf((config) => {
      if (config.maxReplays === 4) throw new Error('no such certificate')
      return () => void applied.push(config.maxReplays)
    })
    for (const to of [['POSTHORN_LEASE: no'], { maxReplays: '4' }, { maxReplays: '5' }]) {
      const reloaded = reloader.reload()
      reads.at(-1)!(to)
      await reloaded
    }
    expect(applied).toEqual([5])
    expect(logged).toEqual([
      ['error', expect.stringContaining('not reloaded'), { errors: ['POSTHORN_LEASE: no'] }],
      ['error', expect.stringContaining('not reloaded'), { reason: 'no such certificate' }],
      ['info', 'settings reloaded', { changed: ['POSTHORN_MAX_REPLAYS_PER_WORKSPACE'] }],
    ])
  })

  test('logs what needs a restart each time until the restart', async () => {
    const { reloader, reads, logged } = reloaderOf()
    for (let n = 0; n < 2; n++) {
      const reloaded = reloader.reload()
      reads.at(-1)!({ port: '1' })
      await reloaded
    }
    expect(logged.filter(([level]) => level === 'warn')).toHaveLength(2)
  })
})
