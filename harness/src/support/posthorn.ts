import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { killAtExit } from './children.ts'
import { eventually, within } from './waiting.ts'

const PROGRAM = fileURLToPath(new URL('../../../packages/server/bin/posthorn.js', import.meta.url))
/** The provisioning token of services started here. */
export const ADMIN_TOKEN = 'harness-admin-token-0123456789'
const OUTPUT_KEPT_CHARACTERS = 256 * 1024
const START_WITHIN_MS = 60_000
/** The service stops within 20 s. */
const STOP_WITHIN_MS = 20_000

/** Values of `POSTHORN_…` variables. */
export type Settings = Readonly<Record<string, string>>

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

interface RunOptions {
  /** Gets the program's output of both streams. */
  readonly onOutput?: (text: string) => void
  /** A command prefix that runs the program. */
  readonly via?: readonly string[]
  /** The program of another build. */
  readonly program?: string
}

/** One run of the `posthorn` program. */
export class PosthornProcess {
  readonly exited: Promise<Exit>
  readonly #child: ChildProcessByStdio<null, Readable, Readable>
  #stdout = ''
  #stderr = ''
  #url: string | null = null
  #exit: Exit | null = null

  /** Only `settings` are set: the caller's environment must not reach the program. */
  constructor(
    args: readonly string[],
    settings: Settings = {},
    { onOutput = () => {}, via = [], program = PROGRAM }: RunOptions = {},
  ) {
    const { PATH = '', HOME = '' } = process.env
    const [command, ...words] = [...via, process.execPath, program, ...args]
    this.#child = killAtExit(
      spawn(command!, words, {
        env: { PATH, HOME, ...settings },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      onOutput(text)
      this.#readStdout(text)
    })
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      onOutput(text)
      this.#stderr = (this.#stderr + text).slice(-OUTPUT_KEPT_CHARACTERS)
    })
    // `close` comes once both streams are read completely, `exit` may come earlier.
    this.exited = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        this.#exit = { code, signal }
        resolve(this.#exit)
      })
    })
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** Where it listens. */
  get url(): string {
    if (this.#url === null) throw new Error('the service does not listen yet')
    return this.#url
  }

  /** How it ended; `null` while it runs. */
  get exit(): Exit | null {
    return this.#exit
  }

  get stdout(): string {
    return this.#stdout
  }

  get stderr(): string {
    return this.#stderr
  }

  /** Resolves once it accepts publishes. @throws Error with its output when it ends instead */
  async ready(): Promise<void> {
    await eventually(async () => ((await this.#isReady()) ? true : null), {
      withinMs: START_WITHIN_MS,
      what: 'start of the service',
    })
  }

  async #isReady(): Promise<boolean> {
    if (this.#exit !== null) {
      throw new Error(`the service ended with ${JSON.stringify(this.#exit)}: ${this.#stderr}${this.#stdout}`)
    }
    if (this.#url === null) return false
    const response = await fetch(`${this.#url}/readyz`).catch(() => null)
    await response?.arrayBuffer()
    return response?.status === 200
  }

  /**
   * Asks it to stop, and kills it after a timeout. @returns how it ended; `signal` is SIGKILL when it was
   * killed
   */
  async stop(): Promise<Exit> {
    this.#child.kill('SIGTERM')
    return within(this.exited, STOP_WITHIN_MS, 'stop of the service').catch(() => this.kill())
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** The first log line with this message, parsed; waits for it. @param after number of such lines to skip */
  async logged(message: string, after = 0): Promise<Readonly<Record<string, unknown>>> {
    return eventually(
      () => {
        const line = this.#stdout.split('\n').filter((text) => text.includes(message))[after]
        if (line === undefined && this.#exit !== null)
          throw new Error(`the service ended: ${this.#stderr}${this.#stdout}`)
        return line?.endsWith('}') === true ? (JSON.parse(line) as Record<string, unknown>) : null
      },
      { withinMs: START_WITHIN_MS, what: `"${message}" in the log` },
    )
  }

  kill(): Promise<Exit> {
    this.#child.kill('SIGKILL')
    return this.exited
  }

  #readStdout(text: string): void {
    this.#stdout = (this.#stdout + text).slice(-OUTPUT_KEPT_CHARACTERS)
    this.#url ??= /"url":"(http:[^"]+)"[^\n]*"posthorn is listening"/.exec(this.#stdout)?.[1] ?? null
  }
}

export interface ServiceOptions extends RunOptions {
  readonly dataDir: string
  readonly settings?: Settings
}

/**
 * Starts the service on a port that it picks, with receivers on this machine allowed; see {@link
 * PosthornProcess.ready}.
 */
export function spawnService({ dataDir, settings = {}, ...options }: ServiceOptions): PosthornProcess {
  const given = {
    POSTHORN_PORT: '0',
    POSTHORN_DATA_DIR: dataDir,
    POSTHORN_ADMIN_TOKEN: ADMIN_TOKEN,
    POSTHORN_EGRESS_ALLOW: '127.0.0.1/32',
    ...settings,
  }
  return new PosthornProcess(['serve'], given, options)
}

export async function startService(options: ServiceOptions): Promise<PosthornProcess> {
  const service = spawnService(options)
  try {
    await service.ready()
  } catch (error) {
    await service.kill()
    throw error
  }
  return service
}

interface Finished extends Exit {
  readonly stdout: string
  readonly stderr: string
}

/** Runs the program until it exits. */
export async function runPosthorn(
  args: readonly string[],
  settings: Settings = {},
  options: RunOptions = {},
): Promise<Finished> {
  const run = new PosthornProcess(args, settings, options)
  const exit = await within(run.exited, START_WITHIN_MS, `end of posthorn ${args.join(' ')}`).catch(
    async (error: unknown) => {
      await run.kill()
      throw error
    },
  )
  return { ...exit, stdout: run.stdout, stderr: run.stderr }
}
