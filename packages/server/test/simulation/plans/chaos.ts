import { MINUTE_MS, SECOND_MS } from '../../../src/core/duration.ts'
import { adsProfile, adsService, contentProfile, contentService } from '../../../src/profiles/builtIn.ts'
import { scaled } from '../oracle/contract.ts'
import { answerOf, drawReceiver } from '../receivers/behaviors.ts'
import { drawFaults } from './drawFaults.ts'
import { Draws } from './draws.ts'
import type { FaultKind } from './faultKinds.ts'
import type { Plan, PlannedWorkspace, Publication } from './plan.ts'

/** Waits are this much shorter than by default, so that minutes cover whole schedules. */
const FASTER = 120
const faster = (waitsMs: readonly number[]) => waitsMs.map((waitMs) => waitMs / FASTER)
const TIMEOUT_MS = 10 * SECOND_MS

const SERVICE = {
  dialects: [
    contentService({
      waitsMs: faster(contentProfile.policy.waitsMs),
      timeoutMs: TIMEOUT_MS,
      disableAfterMs: contentProfile.policy.disableAfterMs! / FASTER,
    }),
    adsService({ waitsMs: faster(adsProfile.policy.waitsMs), timeoutMs: TIMEOUT_MS }),
  ],
  contracts: scaled(120, { content: 10_000, ads: 10_000 }),
}

export const TYPES = {
  content: ['version.approved', 'publication.published'],
  ads: ['report.ready.v1', 'campaign.updated.v1'],
} as const

/** All faults have ended by then. */
const FAULTS_UNTIL_MS = 8 * MINUTE_MS
/** Publishers continue for a while. */
const PUBLISHED_UNTIL_MS = 11 * MINUTE_MS
/** All schedules have ended by then, and all leases of dead nodes. */
const LASTS_MS = 23 * MINUTE_MS
const PEOPLE_EVERY_MS = 3 * SECOND_MS

const CALLS = 120
const BURST = 30
/** One simulation of this many has one node, as with an embedded store. */
const ALONE_EVERY = 5

const LIMITS = [
  { maxInFlight: 512, maxInFlightPerWebhook: 10 },
  { maxInFlight: 64, maxInFlightPerWebhook: 3 },
]

/** Three nodes, or one, with all kinds of faults while they serve all kinds of receivers. */
export interface Chaos extends Plan {
  readonly peopleEveryMs: number
  /** When people stop making changes. */
  readonly peopleUntilMs: number
}

/** @param options.wanted kinds of faults; absent: some that are drawn */
export function planOfChaos(
  seed: number,
  options: { readonly nodes?: number; readonly wanted?: readonly FaultKind[] } = {},
): Chaos {
  const draws = new Draws(seed)
  const { nodes = seed % ALONE_EVERY === 0 ? 1 : 3 } = options
  const workspaces = drawWorkspaces(draws)
  const count = workspaces.reduce((sum, { webhooks }) => sum + webhooks.length, 0)
  const receivers = Array.from({ length: count }, (_, n) =>
    drawReceiver(draws, n, PUBLISHED_UNTIL_MS, FASTER),
  )
  const limits = LIMITS[draws.between(0, LIMITS.length - 1, 3)]!
  return {
    draws,
    workspaces,
    publications: drawPublications(draws, workspaces),
    answerTo: (request) => answerOf(receivers[request.receiver]!, draws, request, FASTER),
    lastsMs: LASTS_MS,
    service: SERVICE,
    ...limits,
    faults: drawFaults(draws, FAULTS_UNTIL_MS, { ...options, nodes }),
    isolation: {
      isPrompt: (receiver) => receivers[receiver]!.character === 'healthy',
      // Nodes look for due deliveries once a second, and answers take up to 300 ms.
      boundMs: 1_200 + Math.ceil(BURST / limits.maxInFlightPerWebhook) * 300,
    },
    peopleEveryMs: PEOPLE_EVERY_MS,
    peopleUntilMs: FAULTS_UNTIL_MS,
  }
}

/** Small ones, and one whose events go to more webhooks than the store serves at once. */
function drawWorkspaces(draws: Draws): PlannedWorkspace[] {
  return Array.from({ length: 7 }, (_, position) => {
    const dialect = position % 3 === 0 ? 'ads' : 'content'
    const size = position === 0 ? draws.between(25, 40, 60) : draws.between(1, 8, 61, position)
    const webhooks = Array.from({ length: size }, (_, i) => {
      const wanted = draws.between(0, 5, 62, position, i)
      return wanted < 2 ? [TYPES[dialect][wanted]!] : []
    })
    return { dialect, webhooks }
  })
}

function drawPublications(draws: Draws, workspaces: readonly PlannedWorkspace[]): Publication[] {
  return Array.from({ length: CALLS }, (_, position): Publication => {
    const workspace = draws.between(0, workspaces.length - 1, 65, position)
    const kind = draws.between(0, 2, 66, position)
    const repeatable = [undefined, 'by idempotency key', 'by event ids'][kind] as Publication['repeatable']
    return {
      at: draws.between(SECOND_MS, PUBLISHED_UNTIL_MS, 67, position),
      workspace,
      type: TYPES[workspaces[workspace]!.dialect][draws.between(0, 1, 68, position)]!,
      events: draws.of(69, position) < 0.1 ? draws.between(5, BURST, 63, position) : 1,
      ...(repeatable === undefined ? {} : { repeatable }),
    }
  }).sort((a, b) => a.at - b.at)
}
