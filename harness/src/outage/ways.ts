import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { ForwardProxy } from '../support/forwardProxy.ts'

/** For a process that may open none: a larger limit would let it reuse the numbers of closed files. */
const NO_MORE_FILES = 1

/** One way in which a node's network fails and recovers. */
export interface Way {
  readonly name: 'egress-down' | 'proxy-dead' | 'proxy-407' | 'resolver-dead' | 'out-of-sockets'
  /** @param pid of the node's process */
  readonly begin: (proxy: ForwardProxy, pid: number) => void
  readonly end: (proxy: ForwardProxy, pid: number) => Promise<void>
}

const heal = (proxy: ForwardProxy) => proxy.heal()

export const WAYS: readonly Way[] = [
  { name: 'egress-down', begin: (proxy) => proxy.silence(), end: heal },
  { name: 'proxy-dead', begin: (proxy) => proxy.die(), end: heal },
  { name: 'proxy-407', begin: (proxy) => proxy.refuseWith(407), end: heal },
  // The proxy resolves names, and reports an unknown one.
  { name: 'resolver-dead', begin: (proxy) => proxy.refuseWith(502), end: heal },
  {
    name: 'out-of-sockets',
    // Its connections end, including those that the proxy has not accepted yet, and no file descriptor is
    // free for another.
    begin: (proxy, pid) => {
      limitFiles(pid, NO_MORE_FILES)
      proxy.die()
    },
    end: async (proxy, pid) => {
      await proxy.heal()
      limitFiles(pid, 'the most')
    },
  },
]

/** A process that has ended has no limits. */
function limitFiles(pid: number, files: number | 'the most'): void {
  const limits = `/proc/${pid}/limits`
  if (!existsSync(limits)) return
  const [, most] = /^Max open files +\d+ +(\d+)/m.exec(readFileSync(limits, 'utf8'))!
  const soft = files === 'the most' ? most : files
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${soft}:`], { stdio: 'ignore' })
}
