import type { Command } from 'commander'
import { configOf, withSettings } from '../flags.ts'
import { SERVICE_SETTINGS, SettingError } from '../settings.ts'
import { addAdminTokenCommands } from './adminTokenCommands.ts'
import { byAdmin, MEANINGS, print } from './byAdmin.ts'
import { call, serviceUrl } from './client.ts'
import { addConsumerCommands } from './consumerCommands.ts'
import { addMasterKeyCommands } from './masterKeyCommands.ts'
import { addWebhookCommands } from './webhookCommands.ts'

const KEY_EXAMPLE = 'posthorn key create acme --name newsroom --scopes webhooks,events:write'

const ENTITY_EXAMPLE = 'campaign:0196f2a0-0000-7000-8000-000000000001'

interface PublishFlags {
  readonly key: string
  readonly type?: string
  readonly data?: string
  readonly fromFile?: string
  readonly workspace?: string
  readonly entity?: string
  readonly actor?: string
  readonly id?: string
  readonly flat?: true
  readonly dataMember?: string
  readonly member?: readonly string[]
}

/** Adds the commands for a running service. They use its HTTP API, like curl would. */
export function addRemoteCommands(program: Command): void {
  addWorkspaceCommands(program.command('workspace').description('Create and list workspaces'))
  addKeyCommands(program.command('key').description('Create, list and revoke API keys of a workspace'))
  addAdminTokenCommands(
    program.command('admin-token').description('Create, list and revoke tokens for the admin API'),
  )
  addMasterKeyCommands(
    program.command('master-key').description('Show the state of the key that encrypts signing secrets'),
  )
  addLoginLinkCommand(
    program.command('login-link').description('Create a one-time sign-in link for a member or operator'),
  )
  addPublishCommand(program.command('publish').description('Publish one event, or all events in a file'))
  addWebhookCommands(program)
  addConsumerCommands(
    program.command('consumer').description('Manage consumers, which read events without a public address'),
  )
}

function addPublishCommand(publish: Command): void {
  publish
    .requiredOption('--key <key>', 'an API key with a scope for publishing, such as events:write')
    .option('--type <type>', 'the event type')
    .option('--data <json>', 'the data of the event, as JSON')
    .option('--from-file <file>', 'a JSON Lines file with one event per line; - for stdin')
    .option('--workspace <workspace>', 'slug or id of the workspace; not for ads')
    .option(
      '--flat',
      'for a service with "paths": "flat" in its profile, such as ads, whose paths have no workspace',
    )
    .option('--entity <kind:uuid>', 'ads: the entity of the event, such as campaign:0196…')
    .option('--actor <id>', 'content: id of the person or program that caused the event')
    .option(
      '--member <name=value...>',
      'another member of the event, as the profile defines it; JSON, or text if it is not JSON',
    )
    .option(
      '--data-member <name>',
      'name of the member with the data (default: data; with --entity: payload)',
    )
    .option('--id <id>', 'your own event id; an event published twice with the same id is sent once')
  withSettings(publish, SERVICE_SETTINGS, MEANINGS).action(async (flags: PublishFlags) => {
    const url = serviceUrl(await configOf(publish.opts(), SERVICE_SETTINGS))
    const { fromFile: file, key } = flags
    if (file !== undefined) {
      const workspace = workspaceOfFile(flags)
      const { publishFile } = await import('./publishFile.ts')
      return publishFile({ file, url, key, workspace })
    }
    const { path, body } = publishRequest(flags)
    const bearer = { value: flags.key, from: '--key' }
    print(await call({ url, method: 'POST', path, bearer, body }))
  })
}

function addWorkspaceCommands(workspace: Command): void {
  const create = workspace
    .command('create')
    .description('Create a workspace')
    .requiredOption(
      '--profile <name>',
      'service of the workspace: content, ads, standard, or one that was added',
    )
    .requiredOption('--slug <slug>', 'short name in URLs, such as acme')
    .requiredOption('--name <name>', 'display name, such as Acme')
  byAdmin(create, (admin) => async ({ profile: dialect, slug, name }) => {
    print(await admin('POST', '/admin/v1/workspaces', { dialect, slug, name }))
  })
  const list = workspace.command('list').description('List workspaces, newest first')
  byAdmin(list, (admin) => async () => print(await admin('GET', '/admin/v1/workspaces?limit=100')))
}

function addKeyCommands(key: Command): void {
  const keysOf = (workspace: string) => `/admin/v1/workspaces/${encodeURIComponent(workspace)}/keys`
  const create = key
    .command('create <workspace>')
    .description('Create a key; it is shown only once')
    // After the scopes, the workspace would be parsed as one of them.
    .usage('<workspace> [options]')
    .addHelpText('after', `\nExample:\n  ${KEY_EXAMPLE}`)
    .configureOutput({
      outputError: (message, write) =>
        write(
          message.includes("missing required argument 'workspace'")
            ? `${message}Give the workspace first, such as: ${KEY_EXAMPLE}\n`
            : message,
        ),
    })
    .requiredOption('--name <name>', 'name of the key, such as newsroom')
    .requiredOption(
      '--scopes <scopes...>',
      'scopes of the key, separated by commas or spaces, such as webhooks,events:write',
    )
    .option('--member <id>', 'id of the member that the key is for')
  byAdmin(create, (admin) => async (workspace: string, { name, scopes, member }) => {
    const body = { name, scopes: scopesOf(scopes), ...(member === undefined ? {} : { member_id: member }) }
    print(await admin('POST', keysOf(workspace), body))
  })
  const list = key.command('list <workspace>').description('List keys, newest first')
  byAdmin(list, (admin) => async (workspace: string) => {
    print(await admin('GET', `${keysOf(workspace)}?limit=100`))
  })
  const revoke = key.command('revoke <workspace> <id>').description('Revoke a key')
  byAdmin(revoke, (admin) => async (workspace: string, id: string) => {
    await admin('DELETE', `${keysOf(workspace)}/${encodeURIComponent(id)}`)
    process.stdout.write(`Revoked the key ${id} of the workspace ${workspace}.\n`)
  })
}

const scopesOf = (words: readonly string[]): string[] =>
  words.flatMap((word) => word.split(',')).filter((scope) => scope !== '')

function addLoginLinkCommand(loginLink: Command): void {
  loginLink.requiredOption('--email <address>', 'address of a member or an operator')
  byAdmin(loginLink, (admin) => async ({ email }) => {
    const link = (await admin('POST', '/admin/v1/sign-in-links', { email })) as SignInLink
    process.stdout.write(`${link.url}\n`)
    process.stderr.write(`Works once, until ${link.expires_at}.\n`)
  })
}

interface SignInLink {
  readonly url: string
  readonly expires_at: string
}

/** @returns the workspace in the path; `null`: the path has none @throws SettingError when flags for one event are given */
function workspaceOfFile(flags: PublishFlags): string | null {
  const { fromFile: _file, key: _key, workspace, flat, ...others } = flags
  const ofOne = ['type', 'data', 'entity', 'actor', 'id', 'dataMember', 'member'].find((name) =>
    Object.hasOwn(others, name),
  )
  if (ofOne !== undefined)
    throw new SettingError(
      `publish: with --from-file, each line of the file is a whole event; leave out --${ofOne === 'dataMember' ? 'data-member' : ofOne}`,
    )
  if ((workspace === undefined) !== (flat === true))
    throw new SettingError('publish: give --workspace, or --flat for a service such as ads, and not both')
  return workspace ?? null
}

/** @throws SettingError when the flags fit no service */
function publishRequest(flags: PublishFlags): { readonly path: string; readonly body: object } {
  const { type, workspace, entity, actor, id, flat, dataMember, member = [] } = flags
  if (type === undefined || flags.data === undefined)
    throw new SettingError('publish: give --type and --data, or --from-file')
  const data = parseJson(flags.data)
  const isFlat = flat === true || entity !== undefined
  if (workspace !== undefined && isFlat)
    throw new SettingError('publish: give --workspace, or --flat or --entity, not both')
  if (workspace === undefined && !isFlat)
    throw new SettingError('publish: give --workspace, or --entity <kind:uuid> for an ads event, or --flat')
  const body = {
    type,
    ...(id === undefined ? {} : { id }),
    ...(entity === undefined ? {} : entityMembers(entity)),
    ...(actor === undefined ? {} : { actor_id: actor }),
    ...Object.fromEntries(member.map(memberOf)),
    [dataMember ?? (entity === undefined ? 'data' : 'payload')]: data,
  }
  const base = workspace === undefined ? '/api/v1' : `/v1/workspaces/${encodeURIComponent(workspace)}`
  return { path: `${base}/events`, body }
}

function entityMembers(entity: string): object {
  const [, entityType, entityId] = /^([^:]+):([^:]+)$/.exec(entity) ?? []
  if (entityType === undefined)
    throw new SettingError(`--entity: use kind:uuid, such as ${ENTITY_EXAMPLE} (got ${entity})`)
  return { entityType, entityId }
}

function memberOf(text: string): readonly [name: string, value: unknown] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new SettingError(`--member: use name=value, such as region=eu (got ${text})`)
  try {
    return [name, JSON.parse(value)]
  } catch {
    return [name, value]
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SettingError(
      `--data: use valid JSON, such as '{"order_id": "ord_1"}' (${(error as Error).message})`,
    )
  }
}
