import { Type } from 'typebox'
import { ROLES } from '../../storage/rows.ts'
import { closed, nullable, oneOf, time } from '../shared/schemas.ts'

const SignedInWorkspaceSchema = closed(
  {
    id: Type.String({ description: 'Identifies the workspace in paths, like its slug.' }),
    slug: Type.String({ description: 'Readable identifier in paths.' }),
    name: Type.String({ description: 'Display name.' }),
    dialect: Type.String({ description: 'The name of its service, such as `standard`.' }),
    role: oneOf(ROLES, 'What the member can do in it.'),
    member_id: Type.String({ description: 'The member of the workspace that this person is.' }),
    suspended_at: nullable(time('Since when its webhooks are paused; null when it is not suspended.')),
  },
  { title: 'SignedInWorkspace' },
)

const sessionMembers = {
  email: nullable(
    Type.String({ description: 'The address of the person; null: signed in with the admin token.' }),
  ),
  name: nullable(Type.String({ description: 'Display name; null: no person.' })),
  operator: Type.Boolean({
    description: 'Whether the person can use the admin API and read every workspace.',
  }),
  operator_id: nullable(
    Type.String({
      description: 'The operator with the address; null: none, or signed in with the admin token.',
    }),
  ),
  expires_at: time('When the session ends.'),
  sending_paused_since: nullable(
    time('Since when the service cannot send at all because of a fault of its own; null: it can.'),
  ),
  workspaces: Type.Array(SignedInWorkspaceSchema, {
    description: 'The workspaces of which the person is a member, by name.',
  }),
}

export const SessionSchema = closed(sessionMembers, { title: 'Session' })

export const NewSessionSchema = closed(
  {
    ...sessionMembers,
    workspace: Type.Optional(Type.String({ description: 'For a portal link: the `id` of its workspace.' })),
    bearer: Type.Optional(
      Type.String({ description: 'The session token, if it was requested in place of a cookie.' }),
    ),
  },
  { title: 'NewSession' },
)

export const PreferencesSchema = closed(
  {
    failing_warnings: Type.Boolean({
      description:
        'Whether you get e-mails about failing webhooks. E-mails about disabled webhooks are always sent.',
    }),
  },
  { title: 'Preferences' },
)
