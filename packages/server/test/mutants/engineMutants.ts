import type { Mutant } from './mutant.ts'
import { OUR_FAULTS } from './ourFaultsMutants.ts'
import { core, engine, FAULTS, MIXED_HEALTH, NEIGHBORS, ofEngine } from './suites.ts'

/** Publishing. */
const PUBLISHING: readonly Mutant[] = [
  {
    name: 'events are acknowledged before the commit',
    file: engine('publish/publisher'),
    text: '      this.#waiting.push(batch)\n',
    replacement: `      this.#waiting.push(batch)
      resolve({ outcome: 'accepted', events: ids.map((id) => ({ id, repeated: false })) })
`,
    caughtBy: FAULTS,
  },
  {
    name: 'a publish that fails is repeated without its key',
    file: engine('publish/publisher'),
    text: 'if (idempotency !== null) return this.#track(this.#storeIdempotently(batch, idempotency))',
    replacement: '',
    caughtBy: FAULTS,
  },
  {
    name: 'deliveries that a publish leased before the node lost its lease are sent',
    file: engine('publish/publisher'),
    text: "if (nodeId === this.#lease.nodeId) this.#releaser.add(this.#lanes.add(leased, 'publish'))",
    replacement: "this.#releaser.add(this.#lanes.add(leased, 'publish'))",
    caughtBy: FAULTS,
  },
  {
    name: 'deliveries that are created later are not waited for',
    file: engine('publish/publisher'),
    text: 'if (result.late > 0) this.#fanout.wake()',
    replacement: '',
    caughtBy: FAULTS,
  },
]

/** Due deliveries, and those without room in memory. */
const CLAIMING: readonly Mutant[] = [
  {
    name: 'the wake-up for retries is dropped',
    file: engine('attempt/recorder'),
    text: 'if (nextDueAt !== Number.POSITIVE_INFINITY) this.#claimer.wake(nextDueAt)',
    replacement: '',
    caughtBy: ofEngine('recorder'),
  },
  {
    name: 'the backlog that a claim has left is forgotten',
    file: engine('schedule/claimer'),
    text: 'for (const webhook of result.more) this.#lanes.noteBacklog(this.#lanes.of(webhook))',
    replacement: '',
    caughtBy: ofEngine('claimerBacklogs'),
  },
  {
    name: 'claims have no limit',
    file: engine('schedule/admission'),
    text: 'Math.min(CLAIM_AT_ONCE, fitting(weight))',
    replacement: '(weight === 0 ? 0 : Number.MAX_SAFE_INTEGER)',
    caughtBy: ofEngine('claimer'),
  },
  {
    name: 'claims of one workspace starve the others',
    file: engine('schedule/claimer'),
    text: 'exceptWorkspaces: this.#lanes.memory.fullWorkspaces(trust),',
    replacement: 'exceptWorkspaces: [],',
    caughtBy: ofEngine('claimerBacklogs'),
  },
  {
    name: 'deliveries claimed under a lease that was lost in the meantime are sent',
    file: engine('schedule/claimer'),
    text: "if (nodeId === this.#lease.nodeId) this.#releaser.add(this.#lanes.add(result.deliveries, 'claim'))",
    replacement: "this.#releaser.add(this.#lanes.add(result.deliveries, 'claim'))",
    caughtBy: ofEngine('claimer'),
  },
  {
    name: 'unneeded deliveries are not released when the store is away',
    file: engine('schedule/releaser'),
    text: '      this.#waiting.push(...waiting)\n      throw error',
    replacement: '      throw error',
    caughtBy: ofEngine('releaser'),
  },
]

const SENDING: readonly Mutant[] = [
  {
    name: 'requests go out after the lease of the node has run out',
    file: engine('attempt/dispatcher'),
    text: 'recorder.backlog < MAX_UNRECORDED && lease.valid',
    replacement: 'recorder.backlog < MAX_UNRECORDED',
    caughtBy: FAULTS,
  },
  {
    name: 'in-flight limit of a webhook is off by one',
    file: engine('schedule/lanes'),
    text: 'lane.inFlight >= this.#slotsOf(lane)',
    replacement: 'lane.inFlight > this.#slotsOf(lane)',
    caughtBy: FAULTS,
  },
  {
    name: 'in-flight limit of a node is off by one',
    file: engine('schedule/lanes'),
    text: 'this.#inFlight >= this.#slots) return null',
    replacement: 'this.#inFlight > this.#slots) return null',
    caughtBy: NEIGHBORS,
  },
  {
    name: 'receivers that hang may take all places in flight',
    file: engine('schedule/lanes'),
    text: 'const UNPROVEN_PART = 5 / 8',
    replacement: 'const UNPROVEN_PART = 1',
    caughtBy: NEIGHBORS,
  },
  {
    name: 'a 410 does not hold back the rest',
    file: engine('attempt/dispatcher'),
    text: "if (disablesImmediately(signal, target.dialect.policy.health)) this.#block(lane, 'disabling')",
    replacement: '',
    caughtBy: MIXED_HEALTH,
  },
  {
    name: 'paused webhooks are sent to',
    file: engine('attempt/dispatcher'),
    text: "target.status !== 'on'",
    replacement: "target.status === 'off'",
    caughtBy: FAULTS,
  },
  {
    name: 'cached data of a webhook is kept after it changed',
    file: engine('schedule/webhookChanges'),
    text: '    this.#lanes.changed(webhookId)\n',
    replacement: '',
    caughtBy: FAULTS,
  },
  {
    name: 'a load that was under way when its webhook changed is believed',
    file: engine('attempt/targetLoader'),
    text: 'if (lane.changes !== changes) {',
    replacement: 'if (lane.changes < 0) {',
    caughtBy: FAULTS,
  },
]

const RECORDING: readonly Mutant[] = [
  {
    name: 'results are dropped when the store is away',
    file: engine('attempt/recorder'),
    text: '      this.#waiting = [...attempts, ...this.#waiting]\n',
    replacement: '',
    caughtBy: FAULTS,
  },
  {
    name: 'Retry-After is ignored',
    file: core('policy'),
    text: 'parseRetryAfter(outcome.retryAfter, finishedAt) ?? 0',
    replacement: '0',
    caughtBy: FAULTS,
  },
  {
    name: 'waits have no jitter',
    file: core('policy'),
    text: 'waitMs * (1 + jitter * (2 * random - 1))',
    replacement: 'waitMs * (1 + jitter * (2 * random - 1) * 0)',
    caughtBy: FAULTS,
  },
  {
    name: 'the count of attempts is reset',
    file: core('policy'),
    text: 'const made = progress.attempts - progress.runStart + 1',
    replacement: 'const made = progress.attempts === 3 ? 1 : progress.attempts - progress.runStart + 1',
    caughtBy: FAULTS,
  },
  {
    name: 'a redelivery gets a full schedule',
    file: core('policy'),
    text: "if (trigger !== 'schedule' && resends[trigger].attempts === 'one') return 1",
    replacement: "if (trigger === 'schedule' && waitsMs.length < 0) return 1",
    caughtBy: FAULTS,
  },
  {
    name: 'time before the clock leapt counts as failing',
    file: core('health'),
    text: 'timeOpen(Math.max(failingSince, steadySince), now, outages)',
    replacement: 'timeOpen(failingSince, now, outages)',
    caughtBy: FAULTS,
  },
  {
    name: 'a webhook that has been off begins where it was',
    file: core('health'),
    text: "if (signal === 'success')",
    replacement: "if (signal === 'success' && health.failingSince === null)",
    caughtBy: FAULTS,
  },
]

const NODES: readonly Mutant[] = [
  {
    name: 'a lease is counted from the answer to its renewal',
    file: engine('maintenance/nodeLease'),
    text: 'if (await this.#renewInStore()) {\n      this.#validUntil = askedAt + this.#leaseMs',
    replacement:
      'if (await this.#renewInStore()) {\n      this.#validUntil = this.#clock.monotonic() + this.#leaseMs',
    caughtBy: FAULTS,
  },
  {
    name: 'a node that lost its lease keeps its deliveries in memory',
    file: engine('maintenance/nodeLease'),
    text: '      await this.#registerAgain()\n      this.#onLost()',
    replacement: '      await this.#registerAgain()',
    caughtBy: FAULTS,
  },
  {
    name: 'expired leases of other nodes are not looked at',
    file: engine('maintenance/loops'),
    text: 'await storage.rescueDeliveries({ byNodeId: lease.nodeId })',
    replacement: '0 * lease.nodeId',
    caughtBy: FAULTS,
  },
]

const MAINTENANCE: readonly Mutant[] = [
  {
    name: 'fan-outs stop after their first step',
    file: engine('publish/fanout'),
    text: 'if (looked === 0) return null',
    replacement: 'if (looked >= 0) return 3_600_000',
    caughtBy: FAULTS,
  },
  {
    name: 'cancelations are not carried on',
    file: engine('maintenance/loops'),
    text: 'await storage.cancelDeliveries({ now: clock.now(), ...CANCELATION_STEP })',
    replacement: '0 * clock.now()',
    caughtBy: FAULTS,
  },
  {
    name: 'replays are not carried on',
    file: engine('maintenance/loops'),
    text: 'await storage.stepReplays({ now: clock.now(), ...REPLAY_STEP })',
    replacement: '{ looked: 0 * clock.now(), started: 0, waits: false }',
    caughtBy: FAULTS,
  },
  {
    name: 'retries that a wrong clock delayed by days stay delayed',
    file: engine('maintenance/loops'),
    text: 'const latest = now + longestWaitMs() + DUE_TOLERANCE_MS',
    replacement: 'const latest = Number.MAX_SAFE_INTEGER + longestWaitMs() + DUE_TOLERANCE_MS',
    caughtBy: ofEngine('clockLeaps'),
  },
  {
    name: 'retention believes a clock that has just leapt',
    file: engine('maintenance/loops'),
    text: '      if (!mayDelete()) return null\n',
    replacement: '',
    caughtBy: FAULTS,
  },
]

export const ENGINE_MUTANTS: readonly Mutant[] = [
  ...PUBLISHING,
  ...CLAIMING,
  ...SENDING,
  ...RECORDING,
  ...NODES,
  ...MAINTENANCE,
  ...OUR_FAULTS,
]
