import { describe, expect, test } from 'vitest'
import { providerSettings } from '../../../src/cli/config/oidcSettings.ts'
import { parseConfig } from '../../../src/cli/config/parseConfig.ts'

const PROVIDER = {
  oidcIssuer: 'https://login.example.com/realms/main/',
  oidcClientId: 'posthorn',
  publicUrl: 'https://hooks.example.com',
}
const parse = (others: object = {}) => providerSettings(parseConfig({ ...PROVIDER, ...others }))

describe('the identity provider', () => {
  test('is absent unless one is set', () => {
    expect(providerSettings(parseConfig({}))).toBeNull()
  })

  test('has an issuer as spelled in its tokens, and defaults for the rest', () => {
    expect(parse()).toEqual({
      issuer: 'https://login.example.com/realms/main/',
      clientId: 'posthorn',
      clientSecret: null,
      name: 'single sign-on',
      scopes: 'openid email profile',
      rolesClaim: 'groups',
      grants: [],
      acceptsUnverified: false,
    })
  })

  test('maps values of a claim, with any characters, to operators and members', () => {
    const oidcRoles = '/ops=operator, cn=hooks%2Cou=groups=acme:owner,50%25=acme-2:viewer,a b=ws_1:editor'
    expect(parse({ oidcRoles })?.grants).toEqual([
      { value: '/ops', operator: true },
      { value: 'cn=hooks,ou=groups', operator: false, workspace: 'acme', role: 'owner' },
      { value: '50%', operator: false, workspace: 'acme-2', role: 'viewer' },
      { value: 'a b', operator: false, workspace: 'ws_1', role: 'editor' },
    ])
  })

  test.each([
    [{ oidcRoles: 'ops' }, 'POSTHORN_OIDC_ROLES: "ops" is not a role for a value'],
    [{ oidcRoles: 'ops=admin' }, 'Use value=operator, or value=workspace:role'],
    [{ oidcRoles: 'team=acme:admin' }, 'with owner, editor or viewer'],
    [{ oidcRoles: '=operator' }, 'is not a role for a value'],
    [{ oidcRoles: 'a=operator,' }, '"" is not a role for a value'],
    [{ oidcRoles: Array(201).fill('a=operator').join(',') }, 'use at most 200 values (got 201)'],
    [
      { oidcScopes: 'email profile' },
      'POSTHORN_OIDC_SCOPES: use scopes separated by spaces, including openid',
    ],
    [{ oidcName: 'x'.repeat(61) }, 'POSTHORN_OIDC_NAME: use 1 to 60 characters on one line'],
    [{ oidcIssuer: 'http://login.example.com' }, 'POSTHORN_OIDC_ISSUER: use an https:// URL'],
    [{ oidcIssuer: 'login.example.com' }, 'such as https://login.example.com (got "login.example.com")'],
    [{ oidcIssuer: 'https://a:b@login.example.com' }, '(got one with a user)'],
    [{ oidcIssuer: 'https://login.example.com/?tenant=1' }, 'without a user, query or fragment'],
  ])('is rejected with %j', (given, message) => {
    expect(() => parse(given)).toThrow(message)
  })

  test('may be on this machine without TLS', () => {
    expect(parse({ oidcIssuer: 'http://127.0.0.1:8000' })?.issuer).toBe('http://127.0.0.1:8000')
  })

  test.each([
    [
      { oidcIssuer: PROVIDER.oidcIssuer, publicUrl: PROVIDER.publicUrl },
      'POSTHORN_OIDC_CLIENT_ID: set the id',
    ],
    [{ ...PROVIDER, publicUrl: '' }, 'POSTHORN_PUBLIC_URL: set the URL of this service'],
    [{ oidcClientId: 'posthorn' }, 'POSTHORN_OIDC_CLIENT_ID: set POSTHORN_OIDC_ISSUER too'],
    [{ oidcClientSecret: 'abc' }, 'POSTHORN_OIDC_CLIENT_SECRET: set POSTHORN_OIDC_ISSUER too'],
    [{ oidcRoles: 'a=operator' }, 'POSTHORN_OIDC_ROLES: set POSTHORN_OIDC_ISSUER too'],
  ])('is rejected where settings conflict: %j', (given, line) => {
    let message = ''
    try {
      parseConfig(given)
    } catch (error) {
      message = (error as Error).message
    }
    expect(message.split('\n')).toHaveLength(1)
    expect(message).toContain(line)
  })
})
