import { HOUR_MS, MINUTE_MS } from '../../../src/core/duration.ts'
import { answerOf, drawReceiver, type Receiver } from '../receivers/behaviors.ts'
import { aimedTraffic } from './aimedTraffic.ts'
import type { Draws } from './draws.ts'
import type { Plan, PlannedWorkspace, Publication } from './plan.ts'

const TYPES = {
  content: ['version.approved', 'publication.published'],
  ads: ['report.ready.v1', 'campaign.updated.v1'],
} as const

/** Webhooks of one workspace: the content service allows 20, the ads service any number. */
const MAX_WEBHOOKS = { content: 20, ads: 40 }

/** In the middle, three receivers of ten are down for an hour. */
const SHARED_OUTAGE = { from: 20 * HOUR_MS, to: 21 * HOUR_MS, kind: 'refusing' } as const
const hasSharedOutage = (receiver: number) => receiver % 10 < 3

export interface PlanOfMany extends Plan {
  /** By number. */
  readonly receivers: readonly Receiver[]
}

/**
 * Webhooks of both services with all kinds of receivers, and as many single events as webhooks, at any time.
 * In addition, bursts of 50 to 100 events within one call, and events at the moments when rules apply.
 */
export function planOfMany(draws: Draws, webhooks: number, lastsMs: number): PlanOfMany {
  const workspaces = drawWorkspaces(draws, webhooks)
  const receivers = Array.from({ length: webhooks }, (_, number) => {
    const { character, troubles } = drawReceiver(draws, number, lastsMs)
    return { character, troubles: hasSharedOutage(number) ? [...troubles, SHARED_OUTAGE] : troubles }
  })
  const random = drawTraffic(draws, workspaces, webhooks, lastsMs)
  const publications = [...random, ...aimedTraffic(draws, workspaces, receivers, random)]
  return {
    draws,
    workspaces,
    receivers,
    publications: publications.sort(inOrderOfTime),
    answerTo: (request) => answerOf(receivers[request.receiver]!, draws, request),
    lastsMs,
  }
}

function drawWorkspaces(draws: Draws, count: number): PlannedWorkspace[] {
  const workspaces: PlannedWorkspace[] = []
  for (let made = 0; made < count; ) {
    const position = workspaces.length
    const dialect = position % 3 === 0 ? 'ads' : 'content'
    const size = Math.min(count - made, draws.between(1, MAX_WEBHOOKS[dialect], 10, position))
    const webhooks = Array.from({ length: size }, (_, i) => {
      const wanted = draws.between(0, 5, 11, position, i)
      return wanted < 2 ? [TYPES[dialect][wanted]!] : []
    })
    workspaces.push({ dialect, webhooks })
    made += size
  }
  return workspaces
}

function drawTraffic(
  draws: Draws,
  workspaces: readonly PlannedWorkspace[],
  events: number,
  lastsMs: number,
): Publication[] {
  const bursts = Math.ceil(events / 500)
  return Array.from({ length: events + bursts }, (_, position) => {
    // Some workspaces are busier than others.
    const workspace = Math.floor(draws.of(20, position) ** 2 * workspaces.length)
    return {
      at: draws.between(MINUTE_MS, lastsMs - 1, 21, position),
      workspace,
      type: TYPES[workspaces[workspace]!.dialect][draws.between(0, 1, 22, position)]!,
      events: position < events ? 1 : draws.between(50, 100, 23, position),
    }
  }).sort(inOrderOfTime)
}

function inOrderOfTime(a: Publication, b: Publication): number {
  return a.at - b.at
}
