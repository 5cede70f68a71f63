import type { Resources } from '../nodes/resources.ts'

/** What one process held on to after each round that it lived through, oldest first. */
export interface Life {
  readonly node: string
  readonly measured: readonly Resources[]
}

/** Connections to receivers and clients are kept for a while, so that some more than at first are no leak. */
const MAX_GROWTH: Readonly<Record<keyof Resources, number>> = {
  fileDescriptors: 60,
  sockets: 60,
  activeResources: 60,
  rssBytes: 150 * 1024 ** 2,
}

/** Compares what a process holds after its latest round with what it held after its first. */
export function leaksIn({ node, measured }: Life): string[] {
  const [first, last] = [measured[0], measured.at(-1)]
  if (first === undefined || last === undefined) return []
  return (Object.keys(MAX_GROWTH) as (keyof Resources)[]).flatMap((name) => {
    const growth = last[name] - first[name]
    if (growth <= MAX_GROWTH[name]) return []
    return [`${node} holds ${growth} more ${name} after ${measured.length} rounds than after its first`]
  })
}
