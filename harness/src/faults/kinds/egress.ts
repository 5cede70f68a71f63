import { setTimeout as sleep } from 'node:timers/promises'
import { WAYS, type Way } from '../../outage/ways.ts'
import type { ForwardProxy } from '../../support/forwardProxy.ts'
import { wholeNumber } from '../../support/random.ts'
import type { FaultKind, World } from './kind.ts'

/** Longer than a verdict may take, and than all attempts of a delivery take. */
const LASTS_MS = { min: 5_000, max: 8_000 }

/**
 * Egress faults of one node or of all: no receiver can be reached. Receivers are not at fault, so no fault
 * may use up an attempt.
 * @param proxies one per node, in the same order
 */
export function egressFaults(proxies: readonly ForwardProxy[]): FaultKind[] {
  const breakOne = async ({ nodes, journal }: World, position: number, way: Way, lastsMs: number) => {
    const [node, proxy] = [nodes[position]!, proxies[position]!]
    const unblock = journal.block(node.name, way.name)
    // Without a free file descriptor it cannot accept calls either.
    const end = way.name === 'out-of-sockets' ? journal.silence([node.name], way.name) : () => {}
    // The node may just have ended.
    const pid = node.isRunning ? node.pid : null
    if (pid !== null) way.begin(proxy, pid)
    await sleep(lastsMs)
    if (pid !== null) await way.end(proxy, pid)
    end()
    unblock()
  }
  return WAYS.map((way) => ({
    name: way.name,
    weight: 1.5,
    sparesProcesses: true,
    draw(random, nodes) {
      const lastsMs = wholeNumber(random, LASTS_MS.min, LASTS_MS.max)
      const one = wholeNumber(random, 0, nodes - 1)
      const isAll = random() < 0.5
      const positions = isAll ? proxies.map((_, position) => position) : [one]
      return {
        text: `${isAll ? 'all nodes' : `node ${one + 1}`}: ${way.name} for ${lastsMs} ms`,
        async inject(world) {
          // The process must be the same from start to end.
          await Promise.all(
            positions.map((position) =>
              world.nodes[position]!.turns.take(() => breakOne(world, position, way, lastsMs)),
            ),
          )
        },
      }
    },
  }))
}
