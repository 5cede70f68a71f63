import type { Command } from 'commander'
import { builtInDocument } from '../../profiles/builtIn.ts'
import { profileOf } from '../../profiles/profile.ts'
import { byAdmin, print } from '../remote/byAdmin.ts'
import { RemoteError } from '../remote/client.ts'
import { SettingError } from '../settings.ts'
import { eventTypesModule } from './eventTypes.ts'
import { lineOf, placesIn, profileIn, type Remark, readFile, readProfile } from './profileFile.ts'

/** Adds the commands about services: what they publish, and how their requests look. */
export function addServiceCommands(service: Command): void {
  addCheckCommand(service.command('check <file>'))
  addTypesCommand(service.command('types <profile>'))
  const add = service.command('add <file>').description('Add a service from a profile file')
  byAdmin(add, (admin) => async (file: string) => {
    const { text, profile } = readProfile(file)
    const { name } = profile
    await sending(file, text, () => admin('POST', '/admin/v1/services', JSON.parse(text)))
    process.stdout.write(`Added the service ${name}. Create a workspace for it: ${workspaceExample(name)}\n`)
  })
  const list = service.command('list').description('List built-in and added services')
  byAdmin(list, (admin) => async () => print(await admin('GET', '/admin/v1/services')))
  const show = service
    .command('show <name>')
    .description('Show a service with its profile')
    .option('--profile', 'print only the profile, for `posthorn service update`')
  byAdmin(show, (admin) => async (name: string, flags: { readonly profile?: boolean }) => {
    const found = (await admin('GET', pathOf(name))) as { readonly profile: object }
    print(flags.profile === true ? found.profile : found)
  })
  const update = service
    .command('update <file>')
    .description('Replace the profile of the service that is named in the file')
  byAdmin(update, (admin) => async (file: string) => {
    const { text, profile } = readProfile(file)
    const { name } = profile
    const changed = await sending(file, text, () => admin('PUT', pathOf(name), JSON.parse(text)))
    const { version } = changed as { readonly version: number }
    process.stdout.write(`Updated the service ${name} to version ${version}.\n`)
  })
  const remove = service.command('remove <name>').description('Remove a service that no workspace uses')
  byAdmin(remove, (admin) => async (name: string) => {
    await admin('DELETE', pathOf(name))
    process.stdout.write(`Removed the service ${name}.\n`)
  })
}

const pathOf = (name: string) => `/admin/v1/services/${encodeURIComponent(name)}`

const workspaceExample = (name: string) =>
  `posthorn workspace create --profile ${name} --slug acme --name Acme`

function addCheckCommand(check: Command): void {
  check.description('Check a profile file and show its errors, without adding it').action((file: string) => {
    const { errors, warnings, profile } = profileIn(readFile(file))
    tell(file, 'error', errors)
    tell(file, 'warning', warnings)
    if (profile === null) {
      process.exitCode = 1
      return
    }
    process.stdout.write(`${file}: no errors (service ${profile.name})\n`)
  })
}

function addTypesCommand(types: Command): void {
  types
    .description('Print a TypeScript module with the types of the events, for `@posthorn/receiver`')
    .addHelpText(
      'after',
      '\n<profile> is a file, or the name of a built-in profile: content, ads or standard.',
    )
    .action(async (file: string) => {
      const builtIn = builtInDocument(file)
      const text = builtIn === null ? readProfile(file).text : JSON.stringify(builtIn)
      process.stdout.write(await eventTypesModule(profileOf(JSON.parse(text))))
    })
}

function tell(file: string, kind: string, remarks: readonly Remark[]): void {
  for (const remark of remarks) process.stdout.write(`${lineOf(file, kind, remark)}\n`)
}

/** Sends a profile. Errors that the server finds are shown with their place in the file. */
async function sending<T>(file: string, text: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof RemoteError) || error.mistakes.length === 0) throw error
    const lines = placesIn(text, error.mistakes).map((one) => lineOf(file, 'error', one))
    throw new SettingError(lines.join('\n'))
  }
}
