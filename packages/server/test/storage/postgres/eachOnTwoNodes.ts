import { afterEach, beforeEach } from 'vitest'
import { World } from '../conformance/world.ts'
import { TwoNodes } from './twoNodes.ts'

/** Of the current test, in files that call {@link eachOnTwoNodes}: its own store, open on two nodes. */
export let store: TwoNodes
/** The first of the nodes. */
export let w: World

/** Called by each file, since files share this module. */
export function eachOnTwoNodes(): void {
  beforeEach(async () => {
    store = await TwoNodes.open()
    w = new World(store.nodes[0])
  })
  afterEach(() => store.close())
}
