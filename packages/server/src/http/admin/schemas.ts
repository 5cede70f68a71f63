import { Type } from 'typebox'
import { ROLES } from '../../storage/rows.ts'
import { closed, nullable, oneOf, pathId, time } from '../shared/schemas.ts'
import { credentialOmitted, shownOnce } from '../shared/shownOnce.ts'

export const WorkspaceSchema = closed(
  {
    id: Type.String({ description: 'Identifies the workspace in paths, like its slug.' }),
    dialect: Type.String({ description: 'The name of its service, such as `standard`.' }),
    slug: Type.String({ description: 'Readable identifier in paths.' }),
    name: Type.String({ description: 'Display name; shown in the events of the content service.' }),
    suspended_at: nullable(time('Since when its webhooks are paused; null when it is not suspended.')),
    created_at: time('When it was created.'),
  },
  { title: 'Workspace' },
)

export const MemberSchema = closed(
  {
    id: Type.String({ description: 'Identifies the member in paths.' }),
    email: Type.String({ description: 'Unique in the workspace.' }),
    name: Type.String({ description: 'Display name.' }),
    role: oneOf(ROLES, 'What the member can do.'),
    from_provider: Type.Boolean({
      description:
        "Whether the role comes from the identity provider's claims. It then counts only in sessions that start there, and follows the claims at each sign-in. Adding the member by its address makes it independent of them.",
    }),
    created_at: time('When it was added.'),
  },
  { title: 'Member' },
)

export const OperatorSchema = closed(
  {
    id: Type.String({ description: 'Identifies the operator in paths and in the audit log.' }),
    email: Type.String({ description: 'Unique among operators.' }),
    name: Type.String({ description: 'Display name.' }),
    from_provider: Type.Boolean({
      description:
        "Whether the operator comes from the identity provider's claims. It then counts only in sessions that start there. Adding the operator by its address makes it independent of the claims.",
    }),
    created_at: time('When it was added.'),
  },
  { title: 'Operator' },
)

const adminTokenMembers = {
  id: Type.String({
    description: 'Identifies the token in paths and in the audit log; not the token itself.',
  }),
  name: Type.String({ description: 'Display name.' }),
  created_at: time('When it was created.'),
  expires_at: nullable(time('When it stops working; null: never.')),
  revoked_at: nullable(time('When it was revoked; null: it was not.')),
  last_used_at: nullable(time('When it was last used, to within half a minute; null: never.')),
}

export const AdminTokenSchema = closed(adminTokenMembers, { title: 'AdminToken' })

export const AdminTokenWithSecretSchema = closed(
  { ...adminTokenMembers, token: shownOnce('The token itself.'), secret_omitted: credentialOmitted },
  { title: 'AdminTokenWithSecret' },
)

const keyMembers = {
  id: Type.String({ description: 'Identifies the key in paths; not the key itself.' }),
  name: Type.String({ description: 'Display name.' }),
  scopes: Type.Array(Type.String(), { description: 'What the key can do: its scopes.' }),
  member_id: nullable(Type.String({ description: 'The member it was created for; null: no member.' })),
  created_at: time('When it was created.'),
  expires_at: nullable(time('When it stops working.')),
  revoked_at: nullable(time('When it was revoked.')),
  last_used_at: nullable(time('When it was last used, to within half a minute.')),
}

export const KeySchema = closed(keyMembers, { title: 'Key' })

export const KeyWithSecretSchema = closed(
  {
    ...keyMembers,
    key: shownOnce('The key itself.'),
    secret_omitted: credentialOmitted,
  },
  { title: 'KeyWithSecret' },
)

export const workspaceParams = closed({ ws: pathId('Id or slug of the workspace.') })
export const memberParams = closed({ ws: pathId('Id or slug of the workspace.'), id: pathId('The member.') })
export const keyParams = closed({ ws: pathId('Id or slug of the workspace.'), id: pathId('The key.') })

/** Problems of all operator routes. */
export const ADMIN_PROBLEMS = [
  'credentials_missing',
  'admin_token_invalid',
  'admin_token_expired',
  'admin_token_revoked',
  'session_invalid',
  'too_many_wrong_credentials',
  'operators_only',
] as const

/** Problems of the routes for one workspace. */
export const IN_WORKSPACE_PROBLEMS = [...ADMIN_PROBLEMS, 'not_found'] as const

/** Shown once, to the product that requested it for its member. */
export const SessionWithTokenSchema = closed(
  {
    id: Type.String({ description: 'Identifies the session in the audit log.' }),
    member_id: Type.String({ description: 'The signed-in member.' }),
    token: shownOnce('Sent as a bearer token.'),
    secret_omitted: credentialOmitted,
    created_at: time('When the member was signed in.'),
    expires_at: time('When the session ends.'),
  },
  { title: 'SessionWithToken' },
)
