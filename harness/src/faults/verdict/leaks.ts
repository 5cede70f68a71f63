import type { Resources } from '../nodes/resources.ts'

/** The resources of one process after each round that it survived, oldest first. */
export interface Life {
  readonly node: string
  readonly measured: readonly Resources[]
}

/** Connections to receivers and clients are kept for a while, so a small growth is not a leak. */
const MAX_GROWTH: Readonly<Record<keyof Resources, number>> = {
  fileDescriptors: 60,
  sockets: 60,
  activeResources: 60,
  rssBytes: 150 * 1024 ** 2,
}

/** Compares the resources of a process after its latest round with those after its first. */
export function leaksIn({ node, measured }: Life): string[] {
  const [first, last] = [measured[0], measured.at(-1)]
  if (first === undefined || last === undefined) return []
  return (Object.keys(MAX_GROWTH) as (keyof Resources)[]).flatMap((name) => {
    const growth = last[name] - first[name]
    if (growth <= MAX_GROWTH[name]) return []
    return [`${node} holds ${growth} more ${name} after ${measured.length} rounds than after its first`]
  })
}
