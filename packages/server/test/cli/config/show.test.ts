import { describe, expect, test } from 'vitest'
import { parseGathered } from '../../../src/cli/config/parseConfig.ts'
import { shownSettings, textOf } from '../../../src/cli/config/show.ts'
import { shownText } from '../../../src/cli/config/shown.ts'
import { gatherSettings } from '../../../src/cli/config/sources.ts'
import { SETTINGS, type SettingName } from '../../../src/cli/settings.ts'

const PASSWORD = 'hunter2-very-secret'

describe('no secret is shown', () => {
  test.each([
    ['databaseUrl', `postgres://mira:${PASSWORD}@db/posthorn`, 'postgres://mira:********@db/posthorn'],
    [
      'databaseUrl',
      `postgres://mira:${PASSWORD}@a:1,b:2/p?sslmode=require`,
      'postgres://mira:********@a:1,b:2/p?sslmode=require',
    ],
    [
      'databaseUrl',
      `postgres://mira@db/p?sslmode=x&password=${PASSWORD}`,
      'postgres://mira@db/p?sslmode=x&password=********',
    ],
    ['databaseUrl', `postgres://mira:${PASSWORD}/@db/posthorn`, '********'],
    ['databaseUrl', `mira:${PASSWORD}@db`, '********'],
    [
      'smtpUrl',
      `smtps://mira:${PASSWORD}@mail.example.com:465`,
      'smtps://mira:********@mail.example.com:465',
    ],
    ['egressProxy', `http://mira:${PASSWORD}@proxy:3128`, 'http://mira:********@proxy:3128'],
    ['egressProxy', `http://${PASSWORD}@proxy:3128`, 'http://********@proxy:3128'],
    ['outboxSource', 'sqlite:/var/lib/shop.db', 'sqlite:/var/lib/shop.db'],
    ['outboxSource', `postgres://mira:${PASSWORD}@db/shop`, 'postgres://mira:********@db/shop'],
    ['publicUrl', `https://mira:${PASSWORD}@hooks.example.com`, 'https://mira:********@hooks.example.com'],
    ['adminToken', PASSWORD, '********'],
    ['masterKey', PASSWORD, '********'],
    ['emailFrom', 'Posthorn <posthorn@example.com>', 'Posthorn <posthorn@example.com>'],
  ] as const)('of %s %s', (name, text, shown) => expect(shownText(SETTINGS[name], text)).toBe(shown))
})

test('every setting is shown with its value and source, also if others have mistakes', async () => {
  const names = Object.keys(SETTINGS) as SettingName[]
  const environment = { POSTHORN_PORT: 'x', POSTHORN_ADMIN_TOKEN: PASSWORD, POSTHORN_BILLING_RETRY: '5s' }
  const gathered = await gatherSettings({ flags: { dataDir: '/data' }, environment, names })
  const settings = shownSettings(parseGathered(gathered))
  expect(settings).toHaveLength(names.length + 1)
  const byName = Object.fromEntries(settings.map(({ name, ...setting }) => [name, setting]))
  expect(byName).toMatchObject({
    port: { value: 'x', source: 'environment', from: 'POSTHORN_PORT' },
    'data-dir': { variable: 'POSTHORN_DATA_DIR', value: '/data', source: 'flag', from: '--data-dir' },
    'admin-token': { value: '********', source: 'environment' },
    'public-url': { value: null, source: 'default', from: null },
    lease: { value: '30s', source: 'default' },
    'billing-retry': { value: '5s', source: 'environment' },
  })
  const text = textOf(settings)
  expect(text).not.toContain(PASSWORD)
  expect(text).toMatch(/^data-dir +\/data +--data-dir$/m)
  expect(text).toMatch(/^lease +30s +default$/m)
})
