import { HOUR_MS } from '../../../src/core/duration.ts'
import type { Receiver } from '../receivers/behaviors.ts'
import type { Draws } from './draws.ts'
import type { PlannedWorkspace, Publication } from './plan.ts'

/** More than a webhook has slots, so that some still wait when the first ones are answered. */
const CROWD = 12
/** Around the moment when a rule starts to apply, by the duration of an attempt and its recording. */
const MARGIN_MS = 500

/**
 * Events at the moments when rules apply, which random times would rarely hit: crowds at receivers that are
 * just gone, and attempts at webhooks that have failed for 12 and 24 hours almost to the millisecond. One
 * workspace of four gets them.
 * @param publications in order of time
 */
export function aimedTraffic(
  draws: Draws,
  workspaces: readonly PlannedWorkspace[],
  receivers: readonly Receiver[],
  publications: readonly Publication[],
): Publication[] {
  const firstOf = new Map<number, Publication>()
  for (const publication of publications)
    if (!firstOf.has(publication.workspace)) firstOf.set(publication.workspace, publication)
  let receiver = 0
  return workspaces.flatMap(({ dialect, webhooks }, workspace) => {
    const own = receivers.slice(receiver, receiver + webhooks.length)
    receiver += webhooks.length
    const first = firstOf.get(workspace)
    if (dialect !== 'content' || first === undefined || workspace % 4 !== 1) return []
    const after = (hours: number, events: number) => {
      const aim = draws.between(-MARGIN_MS, MARGIN_MS, 50, workspace, hours)
      return { ...first, at: first.at + hours * HOUR_MS + aim, events }
    }
    const days = own.some(({ character }) => character === 'downForEver')
      ? [after(12, 1), after(24, CROWD)]
      : []
    const gone = own.find(({ character }) => character === 'gone')
    if (gone === undefined) return days
    return [...days, { ...first, at: gone.troubles[0]!.from, events: CROWD }]
  })
}
