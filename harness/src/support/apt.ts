import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Runs a program to its end. @returns its output @throws Error when it fails */
export type RunCommand = (command: string, args: readonly string[]) => string

export const runCommand: RunCommand = (command, args) =>
  execFileSync(command, args, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })

/** Whether this process may install packages with apt-get. */
export const aptPossible = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

export const aptUpdate = (run: RunCommand) => run('apt-get', ['update'])
export const aptInstall = (run: RunCommand, names: readonly string[]) =>
  run('apt-get', ['install', '--yes', '--no-install-recommends', ...names])

/** Installs packages that start no service. @throws Error when apt-get fails */
export function installPackages(names: readonly string[], run: RunCommand = runCommand): void {
  aptUpdate(run)
  aptInstall(run, names)
}
