import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DialectName } from '../support/workspaces.ts'
import { prepareNext, prepareWorker } from './frameworks.ts'
import { build, CACHE, providePrograms, provideToolchain } from './toolchains.ts'

const PROGRAMS = fileURLToPath(new URL('programs', import.meta.url))
const STANDARDWEBHOOKS_OF_PYPI = 'standardwebhooks==1.1.0'

interface Start {
  readonly directory: string
  readonly port: number
  readonly secret: string
}

/** A receiver that others wrote, that verifies with a library of others, or that runs in a framework of others. */
interface IndependentSubscriber {
  readonly name: string
  /** The service whose requests it verifies. */
  readonly dialect: DialectName
  /** Where requests go. */
  readonly path: string
  /** Installs it. @returns why it cannot be had; `null`: it is there */
  provide(): Promise<string | null>
  /** What it writes once it is ready, where it listens earlier than that. */
  readonly ready?: RegExp
  /** @returns the command that starts it; the secret and the port are in its environment */
  prepare(start: Start): Promise<readonly string[]>
}

/** Where something is installed once and for all. */
async function installed(name: string, install: (home: string) => Promise<void>): Promise<string> {
  const home = path.join(CACHE, name.replaceAll(/[^\w.-]/g, '-'))
  const done = path.join(home, 'installed')
  if (existsSync(done)) return home
  mkdirSync(home, { recursive: true })
  await install(home)
  // An installation that was cut off has no such file, and is done again.
  writeFileSync(done, '')
  return home
}

const reasonOf = (error: unknown) => (error as Error).message.split('\n').slice(0, 3).join(' ')

async function provide(name: string, install: (home: string) => Promise<void>): Promise<string | null> {
  return installed(name, install).then(
    () => null,
    (error: unknown) => `${name} cannot be installed: ${reasonOf(error)}`,
  )
}

async function installPython(home: string): Promise<void> {
  await build('python3', ['-m', 'venv', '--clear', path.join(home, 'venv')], home)
  const options = ['--quiet', '--disable-pip-version-check', '--only-binary', ':all:']
  await build(path.join(home, 'venv/bin/pip'), ['install', ...options, STANDARDWEBHOOKS_OF_PYPI], home)
}

async function installFromNpm(home: string, packages: readonly string[]): Promise<void> {
  writeFileSync(path.join(home, 'package.json'), '{ "private": true }')
  await build('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], home)
}

/** What npm installs from its own registry, once and for all. */
const fromNpm = (...packages: readonly [string, ...string[]]) => {
  const [name] = packages
  const install = (home: string) => installFromNpm(home, packages)
  return { provide: () => provide(name, install), home: () => installed(name, install) }
}

const nodeRed = fromNpm('node-red@4.1.8')
const next = fromNpm('next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1')
const workerd = fromNpm('workerd@1.20260426.1')

const standard = { dialect: 'content', path: '/hook' } as const

export const INDEPENDENT_SUBSCRIBERS: readonly IndependentSubscriber[] = [
  {
    ...standard,
    name: 'standardwebhooks for JavaScript',
    provide: async () => null,
    prepare: async () => [process.execPath, path.join(PROGRAMS, 'receiver.mjs')],
  },
  {
    ...standard,
    name: 'standardwebhooks for Python',
    provide: () => provide(STANDARDWEBHOOKS_OF_PYPI, installPython),
    async prepare() {
      const home = await installed(STANDARDWEBHOOKS_OF_PYPI, installPython)
      return [path.join(home, 'venv/bin/python'), path.join(PROGRAMS, 'receiver.py')]
    },
  },
  {
    ...standard,
    name: 'standardwebhooks for Go',
    provide: async () => provideToolchain('go'),
    async prepare({ directory }) {
      cpSync(path.join(PROGRAMS, 'go'), directory, { recursive: true })
      await build('go', ['build', '-o', 'subscriber', '.'], directory)
      return ['./subscriber']
    },
  },
  {
    ...standard,
    name: 'standardwebhooks for Rust',
    provide: async () => provideToolchain('rust'),
    async prepare({ directory }) {
      cpSync(path.join(PROGRAMS, 'rust'), directory, { recursive: true })
      const target = path.join(CACHE, 'cargo')
      mkdirSync(target, { recursive: true })
      await build('cargo', ['build', '--quiet', '--target-dir', target], directory)
      return [path.join(target, 'debug/subscriber')]
    },
  },
  {
    ...standard,
    name: 'Node-RED',
    ready: /Started flows/,
    provide: nodeRed.provide,
    async prepare({ directory }) {
      const home = await nodeRed.home()
      cpSync(path.join(PROGRAMS, 'node-red'), directory, { recursive: true })
      const program = path.join(home, 'node_modules/node-red/red.js')
      return [
        process.execPath,
        program,
        '--userDir',
        directory,
        '--settings',
        path.join(directory, 'settings.cjs'),
      ]
    },
  },
  {
    ...standard,
    name: 'Next.js, a route handler',
    provide: next.provide,
    prepare: async ({ port }) => prepareNext(await next.home(), PROGRAMS, port),
  },
  {
    ...standard,
    name: 'Next.js, an API route',
    path: '/api/hook',
    provide: next.provide,
    prepare: async ({ port }) => prepareNext(await next.home(), PROGRAMS, port),
  },
  {
    ...standard,
    name: 'Workers',
    provide: workerd.provide,
    prepare: async (start) => prepareWorker(await workerd.home(), PROGRAMS, start),
  },
  {
    name: "Debian's webhook",
    dialect: 'ads',
    path: '/hooks/posthorn',
    provide: async () => providePrograms({ programs: ['webhook'], packages: ['webhook'] }),
    async prepare({ directory, port, secret }) {
      const hooks = path.join(directory, 'hooks.json')
      const parameter = { source: 'header', name: 'X-Service-Signature' }
      const rule = { match: { type: 'payload-hmac-sha256', secret, parameter } }
      writeFileSync(
        hooks,
        JSON.stringify([{ id: 'posthorn', 'execute-command': '/bin/true', 'trigger-rule': rule }]),
      )
      return ['webhook', '-hooks', hooks, '-ip', '127.0.0.1', '-port', String(port), '-verbose']
    },
  },
]
