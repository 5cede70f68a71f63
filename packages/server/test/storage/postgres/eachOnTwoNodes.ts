import { afterEach, beforeEach } from 'vitest'
import { World } from '../conformance/world.ts'
import { TwoNodes } from './twoNodes.ts'

/** Of the test that runs, in files that call {@link eachOnTwoNodes}: a store of its own that two nodes have open. */
export let store: TwoNodes
/** The first of the nodes. */
export let w: World

/** To be called by each file, since files share this module. */
export function eachOnTwoNodes(): void {
  beforeEach(async () => {
    store = await TwoNodes.open()
    w = new World(store.nodes[0])
  })
  afterEach(() => store.close())
}
