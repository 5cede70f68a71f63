import { parseArgs } from 'node:util'
import type { StoreName } from './run.ts'

export const USAGE = `usage: npm run faults -- [flags]

  --store sqlite     what nodes keep everything in: sqlite or postgres
  --nodes 1          how many nodes share it; with postgres, three when left out
  --rounds 10        how many rounds to play
  --seed N           decides everything that is drawn; random when left out
  --first 1          the first round to play, to replay one that failed
  --fault <kind>     only faults of this kind; may be given several times
  --keep             keep the logs also when all is well
`

export interface Options {
  readonly store: StoreName
  readonly nodes: number
  readonly rounds: number
  readonly seed: number
  readonly first: number
  readonly kinds: readonly string[]
  readonly keep: boolean
}

/** @returns `null` when they are invalid */
export function readOptions(args: readonly string[]): Options | null {
  const values = valuesIn(args)
  if (values === null) return null
  const { store, keep, fault: kinds } = values
  const [rounds, seed, first] = [values.rounds, values.seed, values.first].map(Number)
  const nodes = Number(values.nodes ?? (store === 'sqlite' ? 1 : 3))
  const counts = [nodes, rounds!, first!]
  if (store !== 'sqlite' && store !== 'postgres') return null
  // The embedded store serves one process.
  if (store === 'sqlite' && nodes !== 1) return null
  if (!Number.isInteger(seed) || !counts.every((count) => Number.isInteger(count) && count >= 1)) return null
  return { store, nodes, rounds: rounds!, seed: seed!, first: first!, kinds, keep }
}

function valuesIn(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        store: { type: 'string', default: 'sqlite' },
        nodes: { type: 'string' },
        rounds: { type: 'string', default: '10' },
        seed: { type: 'string', default: String(Date.now() % 1_000_000) },
        first: { type: 'string', default: '1' },
        fault: { type: 'string', multiple: true, default: [] },
        keep: { type: 'boolean', default: false },
      },
    })
    return values
  } catch {
    return null
  }
}
