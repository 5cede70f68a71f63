import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { aptPossible, installPackages } from '../support/apt.ts'

const PROGRAM = 'ip'
const PACKAGE = 'iproute2'

/** Puts a program into a network namespace that ends with it. */
export const APART = ['unshare', '--net'] as const

/** Runs `ip` to its end. @returns its output @throws Error with its error output */
export function ip(...args: readonly string[]): string {
  try {
    return execFileSync(PROGRAM, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: string }
    throw new Error(`${PROGRAM} ${args.join(' ')}: ${(stderr ?? message).trim()}`)
  }
}

/** Installs the program if it is missing. @throws Error when it cannot be installed */
function provideIp(): void {
  const isThere = () =>
    ['/sbin/ip', '/bin/ip', '/usr/sbin/ip', '/usr/bin/ip'].some((file) => existsSync(file))
  if (isThere()) return
  if (!aptPossible()) throw new Error(`there is no program ${PROGRAM} here`)
  process.stderr.write(`No ${PROGRAM} here: installing the distribution's package ${PACKAGE}\n`)
  installPackages([PACKAGE])
}

/** Why network namespaces are not possible on this machine; `null` when they are. */
export function whyNoNamespaces(): string | null {
  if (process.platform !== 'linux') return 'network namespaces are Linux’s'
  const name = `ph-try-${process.pid}`
  try {
    provideIp()
    ip('netns', 'add', name)
  } catch (error) {
    return (error as Error).message
  }
  try {
    ip('netns', 'exec', name, 'true')
    execFileSync(APART[0], [...APART.slice(1), PROGRAM, 'link', 'add', 'ph-try', 'type', 'bridge'], {
      stdio: 'pipe',
    })
    return null
  } catch (error) {
    return (error as Error).message
  } finally {
    ip('netns', 'del', name)
  }
}
