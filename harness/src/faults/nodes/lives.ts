import { eventually } from '../../support/waiting.ts'
import { leaksIn } from '../verdict/leaks.ts'
import type { FaultNode } from './node.ts'
import { type Resources, resourcesOf } from './resources.ts'

const SETTLED_WITHIN_MS = 15_000

interface Life {
  run: number
  measured: Resources[]
}

/** Measures the resources of the nodes' processes after each round. */
export class Lives {
  readonly #lives = new Map<FaultNode, Life>()
  /** The most that any process used. */
  readonly most = { fileDescriptors: 0, sockets: 0, activeResources: 0, rssBytes: 0 }
  /** Most rounds that a process lasted. */
  longest = 0

  /** @returns a description of each leak */
  async measure(nodes: readonly FaultNode[]): Promise<string[]> {
    const leaks: string[] = []
    for (const node of nodes) {
      const life = this.#lifeOf(node)
      const resources = await this.#settled(node, life)
      life.measured.push(resources)
      this.longest = Math.max(this.longest, life.measured.length)
      for (const name of Object.keys(this.most) as (keyof Resources)[])
        this.most[name] = Math.max(this.most[name], resources[name])
      leaks.push(...leaksIn({ node: node.name, measured: life.measured }))
    }
    return leaks
  }

  /** Idle connections are kept for some seconds. */
  async #settled(node: FaultNode, { measured }: Life): Promise<Resources> {
    let resources = await resourcesOf(node)
    await eventually(
      async () => {
        resources = await resourcesOf(node)
        return leaksIn({ node: node.name, measured: [...measured, resources] }).length === 0 ? true : null
      },
      { withinMs: SETTLED_WITHIN_MS, everyMs: 500, what: 'end of idle connections' },
    ).catch(() => null)
    return resources
  }

  #lifeOf(node: FaultNode): Life {
    const known = this.#lives.get(node)
    if (known?.run === node.runs) return known
    const life = { run: node.runs, measured: [] }
    this.#lives.set(node, life)
    return life
  }
}
