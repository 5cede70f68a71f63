import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Snippet } from '../../src/pages/webhooks/snippets/snippet.ts'

type Language = Snippet['language']

const rackServer = join(import.meta.dirname, 'rackServer.rb')

/** What runs a file as a server, per language. Node finds its libraries where the checkout has them. */
const PROGRAMS: Readonly<Record<Language, (file: string, port: number) => readonly string[]>> = {
  node: (file) => ['node', file],
  standardwebhooks: (file) => ['node', file],
  python: (file) => ['python3', file],
  go: (file) => ['go', 'run', file],
  ruby: (file, port) => ['ruby', rackServer, file, String(port)],
  php: (file, port) => ['php', '-S', `127.0.0.1:${port}`, file],
}

const VERSION: Readonly<Record<string, string>> = { go: 'version' }

/** Whether this machine has what the language needs. */
export function isInstalled(language: Language): boolean {
  const [program] = PROGRAMS[language]('', 0)
  try {
    execFileSync(program!, [VERSION[program!] ?? '--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export interface RunningSnippet {
  /** @returns the status of its answer */
  post(body: Buffer, headers: Readonly<Record<string, string>>): Promise<number>
  /** @returns the status of its answer, and what it says */
  ask(body: Buffer, headers: Readonly<Record<string, string>>): Promise<{ status: number; text: string }>
  stop(): Promise<void>
}

/** Go compiles its standard library first, where it never did before. */
const START_WITHIN_MS = 280_000
const TRIES = 3

class SnippetEnded extends Error {}

/** Runs a snippet as it stands in a directory of its own, on a free port of this machine; on another one when that was taken meanwhile. */
export async function runSnippet(snippet: Snippet, secret: string): Promise<RunningSnippet> {
  for (let tries = 1; ; tries++) {
    try {
      return await tryToRun(snippet, secret)
    } catch (error) {
      if (!(error instanceof SnippetEnded) || tries === TRIES) throw error
    }
  }
}

async function tryToRun(snippet: Snippet, secret: string): Promise<RunningSnippet> {
  const directory = mkdtempSync(join(tmpdir(), 'posthorn-snippet-'))
  const file = join(directory, snippet.file)
  writeFileSync(file, snippet.code)
  symlinkSync(resolve(import.meta.dirname, '../../../../node_modules'), join(directory, 'node_modules'))
  const port = await freePort()
  const [program, ...args] = PROGRAMS[snippet.language](file, port)
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) }
  // A group of its own: `go run` starts what it built as a child.
  const child = spawn(program!, args, {
    env,
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const url = `http://127.0.0.1:${port}/hooks`
  const stop = async () => {
    await stopGroup(child)
    rmSync(directory, { recursive: true })
  }
  const ask: RunningSnippet['ask'] = async (body, headers) => {
    const response = await fetch(url, { method: 'POST', body: new Uint8Array(body), headers })
    return { status: response.status, text: await response.text() }
  }
  try {
    await listening(url, child, () => output)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    post: async (body, headers) => (await ask(body, headers)).status,
    ask,
    stop,
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

const ASK_PATIENCE_MS = 2_000
const ASK_AGAIN_AFTER_MS = 100

/** Resolves once the snippet answers. @throws Error when it ends before, or has not answered in time, with what it wrote */
async function listening(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const deadline = performance.now() + START_WITHIN_MS
  const ended = once(child, 'exit').then(() => true)
  for (;;) {
    const answered = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(ASK_PATIENCE_MS) }).then(
      (response) => response.arrayBuffer().then(() => true),
      () => false,
    )
    // Somebody else may have taken the port meanwhile: then it is them who answer, and the snippet ends.
    const hasEnded = await Promise.race([ended, sleep(ASK_AGAIN_AFTER_MS, false)])
    if (hasEnded) throw new SnippetEnded(`the snippet ended with ${child.exitCode}:\n${output()}`)
    if (answered) return
    if (performance.now() > deadline) throw new Error(`the snippet does not answer:\n${output()}`)
  }
}

async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return
  const ended = once(child, 'exit')
  process.kill(-child.pid, 'SIGKILL')
  await ended
}
