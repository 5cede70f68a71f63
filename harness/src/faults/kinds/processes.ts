import { setTimeout as sleep } from 'node:timers/promises'
import { wholeNumber } from '../../support/random.ts'
import type { FaultNode } from '../nodes/node.ts'
import type { Fault, FaultKind, World } from './kind.ts'

const DOWN_MS = { min: 0, max: 600 }
/** Within the duration of a start. */
const START_MS = { min: 0, max: 700 }
const FROZEN_MS = { min: 100, max: 900 }

interface Drawn {
  readonly text: string
  readonly inject: (node: FaultNode, world: World) => Promise<void>
}

/** A fault of one node's process; those of one node run one after another. */
function ofNode(
  name: string,
  { weight, sparesProcesses }: Pick<FaultKind, 'weight' | 'sparesProcesses'>,
  draw: (random: () => number) => Drawn,
): FaultKind {
  return {
    name,
    weight,
    sparesProcesses,
    draw(random, nodes): Fault {
      const position = wholeNumber(random, 0, nodes - 1)
      const { text, inject } = draw(random)
      return {
        text: `node ${position + 1}: ${text}`,
        inject(world) {
          const node = world.nodes[position]!
          return node.turns.take(() => inject(node, world))
        },
      }
    },
  }
}

const kill = ofNode('kill', { weight: 5, sparesProcesses: false }, (random) => {
  const downMs = wholeNumber(random, DOWN_MS.min, DOWN_MS.max)
  return {
    text: `SIGKILL, back after ${downMs} ms`,
    async inject(node) {
      await node.kill()
      await sleep(downMs)
      node.start()
      await node.up()
    },
  }
})

const killInStart = ofNode('kill-in-start', { weight: 2, sparesProcesses: false }, (random) => {
  const startMs = wholeNumber(random, START_MS.min, START_MS.max)
  return {
    text: `SIGKILL, and again ${startMs} ms into the next start`,
    async inject(node) {
      await node.kill()
      node.start()
      await sleep(startMs)
      await node.kill()
      node.start()
      await node.up()
    },
  }
})

const terminate = ofNode('terminate', { weight: 2, sparesProcesses: false }, (random) => {
  const downMs = wholeNumber(random, DOWN_MS.min, DOWN_MS.max)
  return {
    text: `SIGTERM, back after ${downMs} ms`,
    async inject(node) {
      await node.stop()
      await sleep(downMs)
      node.start()
      await node.up()
    },
  }
})

const frozenFor = (ms: number): Drawn => ({
  text: `SIGSTOP for ${ms} ms`,
  async inject(node, { journal }) {
    const end = journal.silence([node.name], `frozen for ${ms} ms`)
    const unblock = journal.block(node.name, 'frozen')
    node.freeze()
    await sleep(ms)
    node.thaw()
    end()
    unblock()
  },
})

const freeze = ofNode('freeze', { weight: 2, sparesProcesses: true }, (random) =>
  frozenFor(wholeNumber(random, FROZEN_MS.min, FROZEN_MS.max)),
)

/** Rarer than the others, since a round with it takes longer. */
const freezeBeyondLease = (leaseMs: number) =>
  ofNode('freeze-beyond-lease', { weight: 0.6, sparesProcesses: true }, (random) =>
    frozenFor(leaseMs + wholeNumber(random, 200, 1_500)),
  )

export const processFaults = (leaseMs: number): readonly FaultKind[] => [
  kill,
  killInStart,
  terminate,
  freeze,
  freezeBeyondLease(leaseMs),
]
