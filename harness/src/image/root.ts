import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Steps compile, and fetch about a hundred packages. */
const STEP_WITHIN_MS = 900_000
/** The network configuration of this machine for a build: its mirrors, and their certificates. */
const NETWORK_FILES = ['/etc/resolv.conf', '/etc/hosts', '/etc/ssl/certs', '/etc/npmrc', '/etc/apt']

/**
 * Node.js programs look for certificates only here, and node-gyp would download headers that are already
 * here.
 */
const BUILD_ENV = {
  NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt',
  npm_config_nodedir: '/usr/local',
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A directory that programs see as the root of the file system. */
export class Root {
  readonly directory: string

  constructor(directory: string) {
    this.directory = directory
  }

  /** A copy that is independent of later changes. */
  async copyTo(directory: string): Promise<Root> {
    await run('cp', ['--archive', '--reflink=auto', this.directory, directory])
    return new Root(directory)
  }

  /** Runs a shell line as root, with the network of this machine. @throws Error with its output */
  async build(line: string, env: Readonly<Record<string, string>>, workdir: string): Promise<string> {
    const script = [
      ...this.#mounts(),
      `exec ${this.#chroot(['sh', '-c', `cd ${workdir} && ${line}`], { ...env, ...BUILD_ENV })}`,
    ]
    return await this.#apart(['--mount', '--pid', '--fork'], script)
  }

  /**
   * The command that starts a program as the image would: without root's rights, and with only the mounts
   * writable.
   * @param mounts directories of this machine by their path in the root
   */
  command(
    args: readonly string[],
    options: {
      readonly env: Readonly<Record<string, string>>
      readonly workdir: string
      readonly user: string
      readonly mounts: Readonly<Record<string, string>>
    },
  ): readonly string[] {
    const at = (place: string) => quoted(`${this.directory}${place}`)
    const script = [
      'set -e',
      `mount --bind ${at('')} ${at('')}`,
      ...Object.entries(options.mounts).map(
        ([place, source]) => `mount --bind ${quoted(source)} ${at(place)}`,
      ),
      `mount -t proc proc ${at('/proc')}`,
      `mount -t tmpfs tmpfs ${at('/tmp')}`,
      `mount --rbind /dev ${at('/dev')}`,
      `mount -o remount,ro,bind ${at('')}`,
      `exec ${this.#chroot(['sh', '-c', `cd ${options.workdir} && exec "$@"`, 'sh', ...args], options.env, options.user)}`,
    ]
    return ['unshare', '--mount', 'sh', '-c', script.join('\n')]
  }

  async #apart(flags: readonly string[], script: readonly string[]): Promise<string> {
    try {
      const { stdout } = await run('unshare', [...flags, 'sh', '-c', ['set -e', ...script].join('\n')], {
        timeout: STEP_WITHIN_MS,
        maxBuffer: 64 * 1024 * 1024,
      })
      return stdout
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string }
      throw new Error(`${script.at(-1)}\n${stdout.slice(-4_000)}${stderr.slice(-4_000)}`)
    }
  }

  #mounts(): readonly string[] {
    const at = (place: string) => quoted(`${this.directory}${place}`)
    return [
      `mount -t proc proc ${at('/proc')}`,
      `mount --rbind /dev ${at('/dev')}`,
      ...NETWORK_FILES.map(
        (file) =>
          `if [ -d ${file} ]; then mkdir -p ${at(file)}; mount --bind ${file} ${at(file)}; ` +
          `elif [ -e ${file} ]; then mkdir -p "$(dirname ${at(file)})"; touch ${at(file)}; mount --bind ${file} ${at(file)}; fi`,
      ),
    ]
  }

  #chroot(args: readonly string[], env: Readonly<Record<string, string>>, user = '0:0'): string {
    const variables = Object.entries(env).map(([name, value]) => quoted(`${name}=${value}`))
    return [
      'chroot',
      `--userspec=${user}`,
      quoted(this.directory),
      '/usr/bin/env -i',
      ...variables,
      ...args.map(quoted),
    ].join(' ')
  }
}
