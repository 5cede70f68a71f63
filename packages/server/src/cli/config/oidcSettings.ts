import type { ClaimGrant, ProviderSettings } from '../../http/shared/providerSettings.ts'
import { ROLES } from '../../storage/rows.ts'
import { boolean } from '../settingValues.ts'
import { isLocal } from '../webSettings.ts'
import { optional, type Setting, setting } from './setting.ts'

const DEFAULT_SCOPES = 'openid email profile'
const MAX_NAME = 60
/** A sign-in looks up the workspace of each value, so their number is limited. */
const MAX_GRANTS = 200

/** The part of the table of settings that says which OpenID Connect provider signs people in to the console. */
export const OIDC_SETTINGS = {
  oidcIssuer: {
    ...optional(
      'POSTHORN_OIDC_ISSUER',
      'OpenID Connect provider that signs people in to the console, such as https://login.example.com',
      issuer,
    ),
    details:
      'OpenID Connect provider for signing in to the console, in addition to links by e-mail; see [single sign-on](operations/single-sign-on.md)',
    withoutIt: 'links by e-mail only',
  },
  oidcClientId: {
    ...optional('POSTHORN_OIDC_CLIENT_ID', 'id of the client that you registered at the provider', printable),
    withoutIt: 'required with `POSTHORN_OIDC_ISSUER`',
  },
  oidcClientSecret: {
    ...optional(
      'POSTHORN_OIDC_CLIENT_SECRET',
      'secret of that client; without it, a public client with PKCE',
      printable,
    ),
    withoutIt: 'a public client with PKCE',
    secret: 'whole',
  },
  oidcName: {
    ...setting(
      'POSTHORN_OIDC_NAME',
      'name of the provider for the button "Sign in with …"',
      'single sign-on',
      'single sign-on',
      providerName,
    ),
    details: 'name of the provider for the button "Sign in with …"',
  },
  oidcScopes: setting(
    'POSTHORN_OIDC_SCOPES',
    'scopes to ask the provider for, separated by spaces',
    DEFAULT_SCOPES,
    DEFAULT_SCOPES,
    scopes,
  ),
  oidcRolesClaim: {
    ...setting(
      'POSTHORN_OIDC_ROLES_CLAIM',
      "claim that contains a person's groups or roles, such as groups or realm_access.roles",
      'groups',
      'groups',
      printable,
    ),
    details:
      'claim that contains groups or roles. Dots separate the names of nested claims, such as `realm_access.roles` of Keycloak',
  },
  oidcRoles: {
    ...setting<readonly ClaimGrant[]>(
      'POSTHORN_OIDC_ROLES',
      'roles for values of that claim, separated by commas: value=operator, or value=workspace:role',
      '',
      [],
      grants,
    ),
    details:
      'roles for values of that claim: `value=operator`, or `value=workspace:role` with the slug or id of a workspace and `owner`, `editor` or `viewer`. In a value, write `%2C` for a comma and `%25` for a percent sign',
    withoutIt: 'only members and operators that were added by hand can sign in',
    isList: true,
  },
  oidcUnverifiedEmail: {
    ...setting(
      'POSTHORN_OIDC_UNVERIFIED_EMAIL',
      'accept e-mail addresses that the provider has not verified',
      '',
      false,
      boolean,
    ),
    isSwitch: true,
    details:
      '`true` accepts people whose `email_verified` claim is not true. Use it only if people cannot choose their address at the provider themselves, such as with Entra ID, which does not send the claim',
    withoutIt: '`false`',
  },
} as const satisfies Readonly<Record<string, Setting<never> | Setting<unknown>>>

type Value<S> = S extends Setting<infer T> ? T : never
type OidcConfig = { readonly [K in keyof typeof OIDC_SETTINGS]: Value<(typeof OIDC_SETTINGS)[K]> }

/** @returns `null`: people sign in only by links */
export function providerSettings(config: OidcConfig): ProviderSettings | null {
  if (config.oidcIssuer === null) return null
  return {
    issuer: config.oidcIssuer,
    // Settings without it are rejected.
    clientId: config.oidcClientId!,
    clientSecret: config.oidcClientSecret,
    name: config.oidcName,
    scopes: config.oidcScopes,
    rolesClaim: config.oidcRolesClaim,
    grants: config.oidcRoles,
    acceptsUnverified: config.oidcUnverifiedEmail,
  }
}

/** Settings of the provider that contradict each other, one line each. Settings that could not be parsed are absent. */
export function oidcContradictions(
  config: Partial<OidcConfig & { readonly publicUrl: string | null }>,
): readonly string[] {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcRoles = [], publicUrl } = config
  if (oidcIssuer === undefined) return []
  if (oidcIssuer === null) {
    const set = [
      ...(oidcClientId == null ? [] : ['POSTHORN_OIDC_CLIENT_ID']),
      ...(oidcClientSecret == null ? [] : ['POSTHORN_OIDC_CLIENT_SECRET']),
      ...(oidcRoles.length === 0 ? [] : ['POSTHORN_OIDC_ROLES']),
    ]
    return set.map(
      (variable) =>
        `${variable}: set POSTHORN_OIDC_ISSUER too. Without it, there is no provider to sign in with`,
    )
  }
  return [
    ...(oidcClientId === null
      ? [
          'POSTHORN_OIDC_CLIENT_ID: set the id of your client at the provider. It is required with POSTHORN_OIDC_ISSUER',
        ]
      : []),
    ...(publicUrl === null
      ? [
          'POSTHORN_PUBLIC_URL: set the URL of this service, such as https://hooks.example.com. The provider in POSTHORN_OIDC_ISSUER redirects people back to it',
        ]
      : []),
  ]
}

/** @returns the exact text: tokens use the same spelling */
function issuer(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null
  const isTrusted = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal(url.hostname))
  if (url === null || !isTrusted || `${url.username}${url.password}${url.search}${url.hash}` !== '')
    throw new Error(
      `use an https:// URL without a user, query or fragment, such as https://login.example.com (got ${value.includes('@') ? 'one with a user' : `"${value}"`}). http:// is allowed only for this machine, such as http://localhost:8081`,
    )
  return value
}

function printable(value: string): string {
  if (!/^[!-~]{1,512}$/.test(value)) throw new Error('use 1 to 512 visible ASCII characters without spaces')
  return value
}

function providerName(value: string): string {
  const name = value.trim()
  if (name === '' || name.length > MAX_NAME || /\p{Cc}/u.test(name))
    throw new Error(`use 1 to ${MAX_NAME} characters on one line, such as Example ID`)
  return name
}

function scopes(value: string): string {
  const names = value.trim().split(/\s+/)
  if (!names.includes('openid') || !names.every((name) => /^[!#-[\]-~]+$/.test(name)))
    throw new Error(`use scopes separated by spaces, including openid, such as ${DEFAULT_SCOPES}`)
  return names.join(' ')
}

function grants(value: string): readonly ClaimGrant[] {
  const items = value.split(',')
  if (items.length > MAX_GRANTS) throw new Error(`use at most ${MAX_GRANTS} values (got ${items.length})`)
  return items.map(grantOf)
}

function grantOf(item: string): ClaimGrant {
  // A value may have any character; the rights that it gives do not.
  const [, given = '', operator, workspace, roleName] =
    /^\s*(.*\S)\s*=\s*(?:(operator)|([A-Za-z0-9_-]+):([a-z]+))\s*$/s.exec(item) ?? []
  const value = decodedOf(given)
  const role = ROLES.find((known) => known === roleName)
  if (value !== null && value !== '' && operator !== undefined) return { value, operator: true }
  if (value !== null && value !== '' && workspace !== undefined && role !== undefined)
    return { value, operator: false, workspace, role }
  throw new Error(
    `"${item.trim()}" is not a role for a value. Use value=operator, or value=workspace:role with owner, editor or viewer, such as hooks-admins=operator or team-a=acme:owner`,
  )
}

function decodedOf(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
