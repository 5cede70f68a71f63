import type { LivedIn } from '../../console/demoWorld.ts'
import type { Scene } from '../../console/scene.ts'
import { randomFrom } from '../../support/random.ts'
import { eventually } from '../../support/waiting.ts'
import type { WalkingClock } from '../../support/walkingClock.ts'
import { type Cast, makeCast } from './cast.ts'
import type { Customers } from './customers.ts'
import { happenings } from './happenings.ts'
import { Publisher } from './publisher.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const WEEK_MS = 7 * DAY_MS

/** Step length by age: as fine as charts draw it. */
const STEPS = [
  { fromMs: WEEK_MS, stepMs: HOUR_MS },
  { fromMs: DAY_MS, stepMs: 10 * MINUTE_MS },
  { fromMs: HOUR_MS, stepMs: 2 * MINUTE_MS },
]

/** In steps of the last day, the retries of rejected requests follow within the step, after these delays. */
const RETRIES_AFTER_MS = [6 * SECOND_MS, 6 * MINUTE_MS]
const MOST_AT_ONCE_MS = 10 * MINUTE_MS
/** All events of a step are published in its first part. */
const FIRST_PART = 0.3

const QUIET_WITHIN_MS = 60_000
/** Between two checks a delivery may be on its way from the store to memory. */
const QUIET_IN_A_ROW = 4
const ASK_EVERY_MS = 6

/**
 * Simulates the week before now for two workspaces and their neighbors.
 * @param nowMs the end of that week, Unix ms
 */
export async function liveAWeek(
  scene: Scene,
  clock: WalkingClock,
  customers: Customers,
  nowMs: number,
): Promise<LivedIn> {
  const random = randomFrom(20)
  const cast = await makeCast(scene, (daysAgo) => clock.leapTo(nowMs - daysAgo * DAY_MS, scene.service))
  const publisher = new Publisher(scene, cast, random)
  const coming = happenings(scene, cast)
  const stepTo = async (at: number) => {
    await clock.leapTo(at, scene.service)
    await quiet(customers)
  }
  for (let at = nowMs - WEEK_MS; at < nowMs; ) {
    const agoMs = nowMs - at
    const { stepMs } = STEPS.findLast(({ fromMs }) => agoMs <= fromMs)!
    const happensAt = at + random() * FIRST_PART * stepMs
    await stepTo(happensAt)
    while (coming[0] !== undefined && coming[0].hoursAgo * HOUR_MS >= agoMs) await coming.shift()!.happens()
    const refusedBefore = customers.refused
    await publisher.publish(agoMs / HOUR_MS, stepMs / HOUR_MS)
    await quiet(customers)
    at += stepMs
    const retries = stepMs <= MOST_AT_ONCE_MS && customers.refused > refusedBefore ? RETRIES_AFTER_MS : []
    for (const afterMs of retries) if (happensAt + afterMs < at) await stepTo(happensAt + afterMs)
  }
  await stepTo(nowMs)
  return worldOf(cast)
}

function worldOf({ content, ads }: Cast): LivedIn {
  return {
    content: { ...content.workspace, webhooks: content.hooks },
    ads: { ...ads.workspace, endpoints: ads.hooks },
  }
}

/** Resolves once no request was sent for a moment. */
async function quiet(customers: Customers): Promise<void> {
  let inARow = 0
  await eventually(
    () => {
      inARow = customers.underWay > 0 ? 0 : inARow + 1
      return inARow >= QUIET_IN_A_ROW ? true : null
    },
    { withinMs: QUIET_WITHIN_MS, everyMs: ASK_EVERY_MS, what: 'end of what is due' },
  )
}
