import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const TIMEOUT_MS = 110_000
const PACKAGE = new URL('../..', import.meta.url).pathname

/** @returns its output; throws if it fails */
export async function runProgram(program: string, flags: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await run(program, flags, { cwd, timeout: TIMEOUT_MS }).catch(
    (error: { readonly stdout: string; readonly stderr: string }) => {
      throw new Error(`${program} ${flags.join(' ')}\n${error.stdout}\n${error.stderr}`)
    },
  )
  return stdout.trim()
}

/** A project with only the packed package installed. */
export class EmptyProject {
  readonly directory = mkdtempSync(path.join(tmpdir(), 'posthorn-receiver-'))

  /** Installs the packed package, offline: it has no dependencies. */
  async install(): Promise<void> {
    writeFileSync(path.join(this.directory, 'package.json'), '{"private": true}')
    const { stdout } = await this.#npm(['pack', PACKAGE, '--json', '--ignore-scripts'])
    const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }]
    await this.#npm(['install', '--offline', '--no-audit', '--no-fund', `./${filename}`])
  }

  write(name: string, text: string): string {
    const file = path.join(this.directory, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }

  /** @returns its output; throws if it fails */
  run(program: string, flags: readonly string[]): Promise<string> {
    return runProgram(program, flags, this.directory)
  }

  /** Compiles ES modules and CommonJS modules as a strict TypeScript project would. */
  typecheck(files: readonly string[]): Promise<string> {
    const { resolve } = createRequire(import.meta.url)
    const types = path.dirname(path.dirname(resolve('@types/node/package.json')))
    return this.run(process.execPath, [
      resolve('typescript/lib/tsc.js'),
      ...[
        '--noEmit',
        '--strict',
        '--exactOptionalPropertyTypes',
        '--target',
        'es2022',
        '--module',
        'nodenext',
      ],
      ...['--typeRoots', types, '--types', 'node', ...files],
    ])
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true })
  }

  #npm(flags: readonly string[]): Promise<{ readonly stdout: string }> {
    return run('npm', flags, { cwd: this.directory, timeout: TIMEOUT_MS })
  }
}

/** Each entry of the package, and its exports. */
export const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  '': ['createReceiver', 'WebhookVerificationError', 'ReceiverConfigurationError'],
  '/profile': ['profileScheme'],
  '/ed25519': ['ed25519Scheme'],
  '/node': ['webhookHandler'],
  '/express': ['webhookHandler'],
  '/fastify': ['webhookPlugin'],
  '/hono': ['webhookHandler'],
  '/next': ['webhookHandler', 'pagesWebhookHandler'],
  '/fetch': ['webhookHandler'],
  '/dedupe': ['dedupe', 'newestOnly', 'memoryStore', 'EventBusyError'],
  '/redis': ['redisStore'],
  '/postgres': ['postgresStore', 'postgresTable'],
  '/sqlite': ['sqliteStore', 'sqliteTable'],
  '/schemes': [
    'SCHEMES',
    'decodeSecret',
    'formatSecret',
    'formatSignature',
    'isMessageId',
    'joinSignatures',
    'parseTimestampSeconds',
    'SchemeError',
    'signedContentPrefix',
  ],
}

/** Loads every entry, then signs, verifies, handles once, and verifies with a key pair. Prints `genuine` twice. */
export function program(load: 'import' | 'require'): string {
  const loading = (entry: string, names: readonly string[]) =>
    load === 'import'
      ? `import { ${names.join(', ')} } from '@posthorn/receiver${entry}'`
      : `const { ${names.join(', ')} } = require('@posthorn/receiver${entry}')`
  const picked: Readonly<Record<string, readonly string[]>> = {
    '': ENTRIES['']!,
    '/profile': ENTRIES['/profile']!,
    '/ed25519': ENTRIES['/ed25519']!,
    '/fetch': ENTRIES['/fetch']!,
    '/dedupe': ENTRIES['/dedupe']!,
    '/schemes': ['SCHEMES', 'decodeSecret', 'formatSignature', 'signedContentPrefix'],
  }
  const whole = Object.entries(ENTRIES).map(([entry, names]) => {
    const source =
      load === 'import'
        ? `await import('@posthorn/receiver${entry}')`
        : `require('@posthorn/receiver${entry}')`
    return `for (const name of ${JSON.stringify(names)}) if ((${source})[name] === undefined) throw new Error('@posthorn/receiver${entry} has no ' + name)`
  })
  return `${Object.entries(picked)
    .map(([entry, names]) => loading(entry, names))
    .join('\n')}
const main = async () => {
  ${whole.join('\n  ')}
  const secret = 'whsec_' + btoa('0123456789abcdef0123456789abcdef')
  const body = JSON.stringify({ type: 'invoice.paid', timestamp: new Date().toISOString(), data: {} })
  const timestampSeconds = Math.floor(Date.now() / 1000)
  const prefix = signedContentPrefix(SCHEMES.standard, { id: 'evt_1', timestampSeconds })
  const content = new TextEncoder().encode(prefix + body)
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', decodeSecret(SCHEMES.standard, secret), hmac, false, ['sign'])
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, content))
  const pair = await crypto.subtle.generateKey({ name: 'Ed25519' }, true, ['sign', 'verify'])
  const b64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
  const publicKey = 'whpk_' + b64(await crypto.subtle.exportKey('raw', pair.publicKey))
  const own = b64(await crypto.subtle.sign({ name: 'Ed25519' }, pair.privateKey, content))
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(timestampSeconds) }
  const post = (signature) => new Request('http://localhost/', { method: 'POST', body, headers: { ...headers, 'webhook-signature': signature } })
  const seen = []
  const receivers = [
    [{ scheme: 'standard', secrets: secret }, formatSignature(SCHEMES.standard, mac)],
    [{ scheme: profileScheme({ profile: 1 }), secrets: secret }, formatSignature(SCHEMES.standard, mac)],
    [{ scheme: ed25519Scheme(), secrets: publicKey }, 'v1a,' + own],
  ]
  for (const [options, signature] of receivers) {
    const receiver = createReceiver(options)
    const once = dedupe({ store: memoryStore(), name: 'test' }, ({ event }) => seen.push(event.type))
    const handler = webhookHandler(receiver, once)
    for (const expected of [204, 204]) {
      const { status } = await handler(post(signature))
      if (status !== expected) throw new Error('answered ' + status)
    }
    const { status } = await webhookHandler(receiver, once)(post(signature.slice(0, -5) + (signature.at(-5) === 'A' ? 'B' : 'A') + signature.slice(-4)))
    if (status !== 401) throw new Error('a forgery was answered ' + status)
  }
  console.log(seen.join(' '))
}
main().catch((error) => {
  console.error(error)
  throw error
})
`
}
