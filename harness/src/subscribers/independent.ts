import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, CACHE, fromNpm, fromPypi } from '../support/installed.ts'
import type { DialectName } from '../support/workspaces.ts'
import { prepareNext, prepareWorker } from './frameworks.ts'
import { providePrograms, provideToolchain } from './toolchains.ts'

const PROGRAMS = fileURLToPath(new URL('programs', import.meta.url))

interface Start {
  readonly directory: string
  readonly port: number
  readonly secret: string
}

/** A receiver that uses a third-party program, library or framework. */
interface IndependentSubscriber {
  readonly name: string
  /** The service whose requests it verifies. */
  readonly dialect: DialectName
  /** Path of its requests. */
  readonly path: string
  /** Installs it. @returns why it is unavailable; `null`: it is installed */
  provide(): Promise<string | null>
  /** Its output once it is ready, if it listens before that. */
  readonly ready?: RegExp
  /** @returns the command that starts it; its environment has the secret and the port */
  prepare(start: Start): Promise<readonly string[]>
}

const standardwebhooks = fromPypi('standardwebhooks==1.1.0')
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
    provide: standardwebhooks.provide,
    async prepare() {
      const home = await standardwebhooks.home()
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
