import type { Command } from 'commander'
import {
  ADMIN_SETTINGS,
  type Config,
  meaningOf,
  SERVICE_SETTINGS,
  SETTINGS,
  SettingError,
  type SettingName,
} from '../settings.ts'
import { adminTokenOf, call, serviceUrl } from './client.ts'

/** Reads the settings of the command that runs. */
type ConfigOf = (names: readonly SettingName[]) => Config

interface PublishFlags {
  readonly key: string
  readonly type: string
  readonly data: string
  readonly workspace?: string
  readonly entity?: string
  readonly actor?: string
  readonly id?: string
}

/** Adds the commands that work on a running service: they say over HTTP what anyone could say with curl. */
export function addRemoteCommands(program: Command, configOf: ConfigOf): void {
  const ofAdmins = (name: string, description: string) =>
    program.command(name).description(description).addHelpText('afterAll', variablesOf(ADMIN_SETTINGS))
  addWorkspaceCommands(ofAdmins('workspace', 'Workspaces of a running service'), configOf)
  addKeyCommands(ofAdmins('key', 'API keys of a workspace'), configOf)
  addLoginLinkCommand(
    ofAdmins('login-link', 'Make a link that signs a member or operator in, once'),
    configOf,
  )
  program
    .command('publish')
    .description('Publish one event')
    .addHelpText('after', variablesOf(SERVICE_SETTINGS))
    .requiredOption('--key <key>', 'an API key with the scope events:write')
    .requiredOption('--type <type>', 'the event type')
    .requiredOption('--data <json>', 'data (content) or payload (ads), as JSON')
    .option('--workspace <workspace>', 'content: slug or id of the workspace')
    .option('--entity <kind:uuid>', 'ads: the entity concerned, such as campaign:0196…')
    .option('--actor <id>', 'content: who caused the event')
    .option('--id <id>', 'your own event id; publishing twice under one id sends once')
    .action(async (flags: PublishFlags) => {
      const { path, body } = publishRequest(flags)
      print(
        await call({
          url: serviceUrl(configOf(SERVICE_SETTINGS)),
          method: 'POST',
          path,
          bearer: flags.key,
          body,
        }),
      )
    })
}

function addWorkspaceCommands(workspace: Command, configOf: ConfigOf): void {
  const admin = adminCaller(configOf)
  workspace
    .command('create')
    .description('Make a workspace')
    .requiredOption('--dialect <dialect>', 'content or ads')
    .requiredOption('--slug <slug>', 'short name for URLs')
    .requiredOption('--name <name>', 'name for people')
    .action(async ({ dialect, slug, name }) => {
      print(await admin('POST', '/admin/v1/workspaces', { dialect, slug, name }))
    })
  workspace
    .command('list')
    .description('List workspaces, newest first')
    .action(async () => print(await admin('GET', '/admin/v1/workspaces?limit=100')))
}

function addKeyCommands(key: Command, configOf: ConfigOf): void {
  const admin = adminCaller(configOf)
  const keysOf = (workspace: string) => `/admin/v1/workspaces/${encodeURIComponent(workspace)}/keys`
  key
    .command('create <workspace>')
    .description('Make a key; it is shown this once')
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--scopes <scopes...>', 'webhooks, generations:read, events:write')
    .option('--member <id>', 'the member it is made for')
    .action(async (workspace: string, { name, scopes, member }) => {
      const body = { name, scopes, ...(member === undefined ? {} : { member_id: member }) }
      print(await admin('POST', keysOf(workspace), body))
    })
  key
    .command('list <workspace>')
    .description('List keys, newest first')
    .action(async (workspace: string) => print(await admin('GET', `${keysOf(workspace)}?limit=100`)))
  key
    .command('revoke <workspace> <id>')
    .description('End a key at once')
    .action(async (workspace: string, id: string) => {
      print(await admin('DELETE', `${keysOf(workspace)}/${encodeURIComponent(id)}`))
    })
}

function addLoginLinkCommand(loginLink: Command, configOf: ConfigOf): void {
  const admin = adminCaller(configOf)
  loginLink.requiredOption('--email <address>', 'of a member or an operator').action(async ({ email }) => {
    const link = (await admin('POST', '/admin/v1/sign-in-links', { email })) as SignInLink
    process.stdout.write(`${link.url}\n`)
    process.stderr.write(`Works once, until ${link.expires_at}.\n`)
  })
}

interface SignInLink {
  readonly url: string
  readonly expires_at: string
}

function adminCaller(configOf: ConfigOf) {
  return (method: string, path: string, body?: unknown) => {
    const config = configOf(ADMIN_SETTINGS)
    return call({ url: serviceUrl(config), method, path, bearer: adminTokenOf(config), body })
  }
}

/** The part of the help that says which variables a command reads. */
function variablesOf(names: readonly SettingName[]): string {
  const lines = names.map((name) => `  ${SETTINGS[name].variable.padEnd(24)}${meaningOf(SETTINGS[name])}`)
  return `\nVariables:\n${lines.join('\n')}`
}

/** @throws SettingError when the flags fit neither service */
function publishRequest(flags: PublishFlags): { readonly path: string; readonly body: object } {
  const { type, workspace, entity, actor, id } = flags
  const data = parseJson(flags.data)
  const shared = { type, ...(id === undefined ? {} : { id }) }
  if (workspace !== undefined && entity === undefined) {
    const body = { ...shared, data, ...(actor === undefined ? {} : { actor_id: actor }) }
    return { path: `/v1/workspaces/${encodeURIComponent(workspace)}/events`, body }
  }
  const [entityType, entityId] = entity?.split(':') ?? []
  if (workspace === undefined && entityType && entityId) {
    return { path: '/api/v1/events', body: { ...shared, entityType, entityId, payload: data } }
  }
  throw new SettingError(
    'publish: give --workspace for a content event, or --entity <kind:uuid> for an ads event',
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SettingError(`--data: is not JSON (${(error as Error).message})`)
  }
}

function print(answer: unknown): void {
  if (answer !== null) process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`)
}
