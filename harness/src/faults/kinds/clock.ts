import { wholeNumber } from '../../support/random.ts'
import type { FaultNode } from '../nodes/node.ts'
import type { FaultKind } from './kind.ts'

const MINUTE_MS = 60_000
/** Receivers reject signatures more than five minutes off their own time. */
const MAX_SKEW_MS = 4 * MINUTE_MS

async function comeBack(node: FaultNode, skewMs: number, end: () => Promise<void>): Promise<void> {
  await end()
  node.skewMs = skewMs
  node.start()
  await node.up()
}

/**
 * A node comes back with a clock that is minutes off. Where nodes share a store each has its own clock. The
 * clock of a single node is set back while all is calm, and jumps only ahead during the chaos: after a jump
 * back everything would correctly wait for the old time.
 */
export const clockJump = (shared: boolean): FaultKind => ({
  name: 'clock',
  weight: 1,
  sparesProcesses: false,
  draw(random, nodes) {
    const position = wholeNumber(random, 0, nodes - 1)
    const drawnMs = wholeNumber(random, -MAX_SKEW_MS, MAX_SKEW_MS)
    const isGentle = random() < 0.5
    return {
      text: `node ${position + 1}: comes back with its clock off by ${Math.round(drawnMs / 1000)} s`,
      async prepare({ nodes: all }) {
        const node = all[position]!
        if (!shared && node.skewMs !== -MAX_SKEW_MS) await comeBack(node, -MAX_SKEW_MS, () => node.stop())
      },
      inject({ nodes: all }) {
        const node = all[position]!
        return node.turns.take(() => {
          const skewMs = shared ? drawnMs : Math.max(node.skewMs, drawnMs)
          return comeBack(node, skewMs, () => (isGentle ? node.stop() : node.kill()))
        })
      },
    }
  },
})
