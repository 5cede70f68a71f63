import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/cli/config/parseConfig.ts'
import { SETTINGS } from '../../src/cli/settings.ts'

test.each(Object.entries(SETTINGS).filter(([, { byDefault }]) => byDefault !== ''))(
  'the default of %s is the one that the help shows',
  (_name, { parse, byDefault, fallback }) => expect(parse(byDefault)).toEqual(fallback),
)

describe('the master key', () => {
  const key = Buffer.alloc(32, 7)

  test('may have white space around it', () => {
    const masterKey = ` ${key.toString('base64')}\n`
    expect(parseConfig({ masterKey }).masterKey).toEqual([Uint8Array.from(key)])
  })

  test.each(['bm90IDMyIGJ5dGVz', `${key.toString('base64')}=`])(
    '%s is invalid, and the error says how to create one',
    (masterKey) =>
      expect(() => parseConfig({ masterKey })).toThrow(
        'POSTHORN_MASTER_KEY: use 32 bytes in base64, as from `openssl rand -base64 32`',
      ),
  )
})

describe('the forward proxy', () => {
  const egressProxy = 'http://proxy.internal:3128'

  test('resolves names unless that happens here', () => {
    expect(parseConfig({ egressProxy }).egressProxyResolve).toBe('proxy')
    expect(parseConfig({ egressProxy, egressProxyResolve: 'local' }).egressProxyResolve).toBe('local')
  })

  test('is required for resolving names on its behalf: without it all requests go out directly', () => {
    expect(() => parseConfig({ egressProxyResolve: 'local' })).toThrow(
      'POSTHORN_EGRESS_PROXY_RESOLVE: "local" requires a forward proxy. Set POSTHORN_EGRESS_PROXY too',
    )
    expect(parseConfig({ egressProxyResolve: 'proxy' }).egressProxy).toBeNull()
  })

  test('is the only place that resolves names', () => {
    expect(() => parseConfig({ egressProxy, egressProxyResolve: 'Local' })).toThrow(
      'POSTHORN_EGRESS_PROXY_RESOLVE: use proxy or local (got "Local")',
    )
  })
})

describe('the egress probe', () => {
  test.each(['probe.example.com:443', '192.0.2.1:53', '[2001:db8::1]:443'])('may be %s', (egressProbe) =>
    expect(parseConfig({ egressProbe }).egressProbe!.host).toBe(egressProbe),
  )

  test.each([
    'probe.example.com',
    'https://probe.example.com:443',
    'probe.example.com:0',
    '*.example.com:443',
    'a.example.com,b.example.com:443',
    '1.2.3:80',
    '256.1.1.1:53',
    '0x7f.1:80',
    'a..b:443',
    'a!b:443',
    '.:443',
  ])('may not be %s', (egressProbe) =>
    expect(() => parseConfig({ egressProbe })).toThrow(/^POSTHORN_EGRESS_PROBE: [^\n]+$/),
  )
})

describe('the URL of the database', () => {
  test('is rejected when it is empty: that would serve a fresh embedded store', () => {
    expect(() => parseConfig({ databaseUrl: '' })).toThrow(
      'POSTHORN_DATABASE_URL: unset it to use the embedded store, or set a URL (it is empty)',
    )
    expect(parseConfig({}).databaseUrl).toBeNull()
  })

  test.each(['postgres://posthorn:secret@db', 'postgres://posthorn:secret@db:5432,other/?sslmode=require'])(
    'is rejected when it names no database: %s',
    (databaseUrl) => {
      expect(() => parseConfig({ databaseUrl })).toThrow(
        /^POSTHORN_DATABASE_URL: add the name of the database [^\n]+$/,
      )
      expect(() => parseConfig({ databaseUrl })).not.toThrow(/secret|db:/)
    },
  )

  test('is rejected with an example, and not repeated, when it is not a URL', () => {
    expect(() => parseConfig({ databaseUrl: 'secret@db' })).toThrow(
      /^POSTHORN_DATABASE_URL: use a URL such as postgres:(?!.*secret)[^\n]+\. In a password, write %40, [^\n]+$/,
    )
  })
})

describe('the mail server', () => {
  test('is rejected with an example, and not repeated, when it is not a URL', () => {
    expect(() => parseConfig({ smtpUrl: 'secret@mail' })).toThrow(
      /^POSTHORN_SMTP_URL: use a URL such as smtp:(?!.*secret)[^\n]+\. In a user or password, write %40, [^\n]+$/,
    )
  })

  test('needs a sender', () => {
    expect(() => parseConfig({ smtpUrl: 'smtp://mail.example.com' })).toThrow(
      'POSTHORN_EMAIL_FROM: set a sender such as Posthorn <posthorn@example.com>. It is required with POSTHORN_SMTP_URL',
    )
  })
})

describe('the origins that may show the console', () => {
  test('are https, or of this machine', () => {
    const portalOrigins =
      'https://app.example.com, http://localhost:3000,http://[::1]:8080,http://a.localhost'
    expect(parseConfig({ portalOrigins }).portalOrigins).toEqual([
      'https://app.example.com',
      'http://localhost:3000',
      'http://[::1]:8080',
      'http://a.localhost',
    ])
    expect(parseConfig({}).portalOrigins).toBeNull()
  })

  test.each([
    'http://app.example.com',
    'https://app.example.com/',
    'https://app.example.com/path',
    'https://*.example.com',
    'https://user@app.example.com',
    'https://App.example.com',
    'https://app.example.com:443',
    "https://app.example.com; script-src 'unsafe-inline'",
    'app.example.com',
    'null',
    '*',
    'https://app.example.com,',
  ])('cannot be %s', (portalOrigins) => {
    expect(() => parseConfig({ portalOrigins })).toThrow(
      /^POSTHORN_PORTAL_ORIGINS: ".*" is not an origin such as/,
    )
  })
})

describe('trusted proxies', () => {
  test('are addresses and networks of both kinds', () => {
    const trustedProxies = '10.0.0.7, 10.1.0.0/16,2001:db8::/32, ::1'
    expect(parseConfig({ trustedProxies }).trustedProxies).toEqual([
      '10.0.0.7',
      '10.1.0.0/16',
      '2001:db8::/32',
      '::1',
    ])
    for (const none of [{}, { trustedProxies: '' }]) expect(parseConfig(none).trustedProxies).toBeNull()
  })

  test.each([
    '*',
    'true',
    'loopback',
    'proxy.example.com',
    '10.0.0.7:80',
    '10.0.0',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '0.0.0.0/0',
    '::/0',
    '::/129',
    '10.0.0.7,',
  ])('cannot be %s', (trustedProxies) => {
    expect(() => parseConfig({ trustedProxies })).toThrow(
      /^POSTHORN_TRUSTED_PROXIES: ".*" is not an address or a CIDR such as/,
    )
  })
})

describe('the public URL', () => {
  test.each([
    'https://mira:secret@hooks.example.com',
    'https://:secret@hooks.example.com/',
    'https://mira@hooks.example.com',
  ])('is rejected when it contains credentials, which are not repeated: %s', (publicUrl) => {
    expect(() => parseConfig({ publicUrl })).toThrow(
      'POSTHORN_PUBLIC_URL: use the address without a user name and password, such as https://hooks.example.com',
    )
  })

  test('is not repeated either when it is not a URL', () => {
    expect(() => parseConfig({ publicUrl: 'mira:secret@hooks.example.com' })).toThrow(
      /^POSTHORN_PUBLIC_URL: it is not/,
    )
  })
})
