import { Stage } from '../src/bench/stage/stage.ts'
import { startOf, tell } from '../src/support/programSide.ts'

/** Messages of a process that opens a stage with a service and does not close it. */
export interface FromStageOwner {
  readonly kind: 'started'
  readonly directory: string
  readonly url: string
}

const { dataParent } = await startOf<{ readonly dataParent: string }>()
const stage = await Stage.open({ store: 'sqlite', tls: false, dataParent })
const { url } = await stage.startService()
tell<FromStageOwner>({ kind: 'started', directory: stage.file('.'), url })
