import { afterEach, beforeEach } from 'vitest'
import { World } from '../conformance/world.ts'
import { TwoNodes } from './twoNodes.ts'

/** Whoever imports this has, in each test, a store of its own that two nodes have open. */
export let store: TwoNodes
/** The first of the nodes. */
export let w: World

beforeEach(async () => {
  store = await TwoNodes.open()
  w = new World(store.nodes[0])
})
afterEach(() => store.close())
