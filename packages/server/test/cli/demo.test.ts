import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const SERVER = path.join(import.meta.dirname, '../..')
const MODULES = path.join(SERVER, '../../node_modules')

let directory: string

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'posthorn-install-'))
})

afterEach(() => rmSync(directory, { recursive: true }))

/** The built server as a package that others are installed next to. @returns its program */
function install(names: readonly string[]): string {
  const modules = path.join(directory, 'node_modules')
  const server = path.join(modules, '@posthorn/server')
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(path.join(SERVER, part), path.join(server, part), { recursive: true })
  for (const name of names) {
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true })
    symlinkSync(path.join(MODULES, name), path.join(modules, name))
  }
  return path.join(server, 'bin/posthorn.js')
}

test('without its package the demo prints in one line how to get it, and exits with 1', async () => {
  const others = readdirSync(MODULES).filter((name) => !name.startsWith('.') && name !== '@posthorn')
  const program = install([...others, '@posthorn/receiver'])
  const outcome = await new Promise((resolve) => {
    execFile(process.execPath, [program, 'demo', '--once'], (error, stdout, stderr) =>
      resolve({ code: error?.code, stdout, stderr }),
    )
  })
  expect(outcome).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'posthorn: the demo is not installed. Pack it in a checkout of Posthorn with npm pack --workspace @posthorn/demo, then install that file next to posthorn (with --global if posthorn is installed globally)\n',
  })
})
