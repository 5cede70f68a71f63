import type { Command } from 'commander'
import { SettingError } from '../settings.ts'
import { readProfile } from './profileFile.ts'

/** Adds the commands about services: what they publish, and how their requests look. */
export function addServiceCommands(service: Command): void {
  service
    .command('check <file>')
    .description('Check a profile, and say where it is wrong; nothing is changed')
    .action((file: string) => {
      const { errors, warnings, profile } = read(file)
      const tell = (kind: string, remarks: typeof errors) => {
        for (const { line, column, pointer, message } of remarks)
          process.stdout.write(`${file}:${line}:${column}: ${kind}: ${pointer ?? 'the file'} ${message}\n`)
      }
      tell('error', errors)
      tell('warning', warnings)
      if (profile === null) {
        process.exitCode = 1
        return
      }
      process.stdout.write(`${file} is the profile of the service ${profile.name}.\n`)
    })
}

function read(file: string): ReturnType<typeof readProfile> {
  try {
    return readProfile(file)
  } catch (error) {
    throw new SettingError(`cannot read ${file}: ${(error as Error).message}`)
  }
}
