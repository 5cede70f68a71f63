import { setTimeout as sleep } from 'node:timers/promises'
import { oneOf, wholeNumber } from '../../support/random.ts'
import type { Direction, TcpProxy } from '../../support/tcpProxy.ts'
import { Turns } from '../../support/turns.ts'
import type { FaultKind } from './kind.ts'

const LASTS_MS = { min: 200, max: 2_500 }
const DELAY_MS = { min: 20, max: 250 }

/** Half-open: nothing is closed, and nothing gets through. */
const DIRECTIONS: readonly (readonly Direction[])[] = [['requests'], ['answers'], ['requests', 'answers']]

interface Path {
  readonly proxy: TcpProxy
  /** One fault of a path at a time. */
  readonly turns: Turns
}

interface Drawn {
  readonly text: string
  readonly lastsMs: number
  readonly begin: (proxy: TcpProxy) => void
}

/** Faults of the network between a node and the database. @param proxies one per node, in the same order */
export function networkFaults(proxies: readonly TcpProxy[], leaseMs: number): FaultKind[] {
  const paths: Path[] = proxies.map((proxy) => ({ proxy, turns: new Turns() }))
  const ofPath = (name: string, weight: number, draw: (random: () => number) => Drawn): FaultKind => ({
    name,
    weight,
    sparesProcesses: true,
    draw(random) {
      const position = wholeNumber(random, 0, paths.length - 1)
      const { text, lastsMs, begin } = draw(random)
      return {
        text: `between node ${position + 1} and the database: ${text} for ${lastsMs} ms`,
        inject({ nodes, journal }) {
          const { proxy, turns } = paths[position]!
          return turns.take(async () => {
            const end = journal.silence([nodes[position]!.name], text)
            begin(proxy)
            await sleep(lastsMs)
            await proxy.heal()
            end()
          })
        },
      }
    },
  })
  const lasts = (random: () => number) => wholeNumber(random, LASTS_MS.min, LASTS_MS.max)
  const halfOpen = (random: () => number, lastsMs: number): Drawn => {
    const silent = oneOf(random, DIRECTIONS)
    return { text: `no ${silent.join(', no ')}`, lastsMs, begin: (proxy) => proxy.silence(...silent) }
  }
  return [
    ofPath('half-open', 3, (random) => halfOpen(random, lasts(random))),
    // Rarer, since such a round takes longer.
    ofPath('half-open-beyond-lease', 0.5, (random) =>
      halfOpen(random, wholeNumber(random, leaseMs, 3 * leaseMs)),
    ),
    ofPath('slow-network', 1.5, (random) => {
      const delayMs = wholeNumber(random, DELAY_MS.min, DELAY_MS.max)
      return {
        text: `${delayMs} ms each way`,
        lastsMs: lasts(random),
        begin: (proxy) => proxy.slow(delayMs),
      }
    }),
    ofPath('trickle', 1, (random) => {
      const bytes = wholeNumber(random, 16, 512)
      return {
        text: `${bytes} bytes at a time`,
        lastsMs: lasts(random),
        begin: (proxy) => proxy.trickle(bytes),
      }
    }),
    ofPath('reset-connections', 1.5, () => ({
      text: 'connections reset',
      lastsMs: 0,
      begin: (proxy) => proxy.reset(),
    })),
    ofPath('refused-connections', 1.5, (random) => ({
      text: 'connections reset and refused',
      lastsMs: lasts(random),
      begin(proxy) {
        proxy.refuse()
        proxy.reset()
      },
    })),
  ]
}
