import type { Arrival } from '../receivers/receivers.ts'
import type { StoredDelivery } from '../store/rows.ts'
import { isMarked } from '../store/rows.ts'
import type { Entry } from '../trace.ts'
import { Acknowledgements } from './acknowledgements.ts'
import { Acquaintance } from './acquaintance.ts'
import { Attempts } from './attempts.ts'
import type { Contracts } from './contract.ts'
import { type Disturbance, Disturbances } from './disturbances.ts'
import { isOn } from './expectations.ts'
import { type Check, type Fault, Findings } from './findings.ts'
import { type Lateness, Leases } from './leases.ts'
import { type KnownWorkspace, Ledger } from './ledger.ts'
import { type InFlightLimits, Limits } from './limits.ts'
import { Processes } from './processes.ts'
import { Results } from './results.ts'
import { Silence } from './silence.ts'

export interface Judgement {
  /** None: everything followed the contracts. */
  readonly findings: readonly Fault[]
  /** The same as text. */
  readonly faults: readonly string[]
  /** Of every request, and of those due at the end: at least this late. */
  readonly lateness: readonly Lateness[]
  /** How often each thing happened. */
  readonly counts: Readonly<Record<string, number>>
}

/** How late requests to receivers that answer promptly may be without faults. */
export interface Isolation {
  readonly isPrompt: (receiver: number) => boolean
  readonly boundMs: number
}

export interface Evidence {
  readonly workspaces: readonly KnownWorkspace[]
  readonly contracts: Contracts
  readonly limits: InFlightLimits
  readonly entries: readonly Entry[]
  readonly arrivals: readonly Arrival[]
  readonly deliveries: readonly StoredDelivery[]
  /** When the simulation began and ended; Unix ms. */
  readonly startedAt: number
  readonly endedAt: number
  /** How late a request may be that was not made by the end, by receiver. */
  readonly overdueMs: (receiver: number) => number
  readonly disturbances: readonly Disturbance[]
  readonly clockErrorMs: number
  readonly isolation: Isolation | null
}

/** How long a changed webhook may be slow: canceled deliveries are removed first. */
const SETTLED_WITHIN_MS = 15_000

/**
 * Follows publishes, receivers' answers, actions of people and faults of processes, and computes the expected
 * results only from the contracts' tables. It compares them with the store's, from which it takes only the
 * order and time of calls.
 */
export function judgeRun(evidence: Evidence): Judgement {
  const findings = new Findings()
  const disturbances = new Disturbances(evidence.disturbances, evidence.startedAt)
  const ledger = new Ledger(evidence.workspaces, evidence.contracts, findings)
  const processes = new Processes()
  const acquaintance = new Acquaintance(ledger)
  const leases = new Leases(ledger, processes, findings)
  // In this order: each relies on the notes of the earlier ones about the same entry.
  const checks: readonly Check[] = [
    processes,
    ledger,
    acquaintance,
    new Results(ledger, processes, disturbances, findings),
    new Attempts(ledger, processes, acquaintance, evidence.clockErrorMs, findings),
    leases,
    new Silence(ledger, findings),
    new Acknowledgements(ledger, findings),
    new Limits(evidence.limits, findings),
  ]
  for (const [position, entry] of evidence.entries.entries()) {
    findings.position = position
    const known = leases.lateness.length
    for (const check of checks) check.read(entry)
    if (leases.lateness.length > known)
      checkIsolation(evidence, disturbances, ledger, leases.lateness.at(-1)!, entry.at, findings)
  }
  for (const check of checks) check.end()
  compareEnd(evidence, ledger, leases.lateness, findings)
  const faults = findings.faults.map(({ text }) => text)
  return { findings: findings.faults, faults, lateness: leases.lateness, counts: findings.counts }
}

/** However other receivers behave: due deliveries of prompt receivers are sent at once. */
function checkIsolation(
  { isolation }: Evidence,
  disturbances: Disturbances,
  { webhooks }: Ledger,
  { receiver, lateMs }: Lateness,
  at: number,
  findings: Findings,
): void {
  if (isolation === null || !isolation.isPrompt(receiver) || lateMs <= isolation.boundMs) return
  const dueAt = at - lateMs
  const { changedAt } = webhooks[receiver]!
  const excused = changedAt >= dueAt - SETTLED_WITHIN_MS || !disturbances.isCalm(dueAt, at)
  findings.check(excused, () => `webhook ${receiver + 1} got a request ${lateMs} ms late`, {
    webhookId: receiver + 1,
  })
}

/** The store's final content must be the expected one, and no due delivery may be left. */
function compareEnd(
  { deliveries, endedAt, overdueMs }: Evidence,
  ledger: Ledger,
  lateness: Lateness[],
  findings: Findings,
): void {
  const kept = deliveries.filter(({ removed }) => !removed)
  const missing = ledger.deliveries.size - kept.length
  findings.check(missing === 0, () => `${missing} deliveries went missing`)
  for (const row of kept) {
    const { id, webhook, attempts } = row
    const expected = ledger.deliveries.get(id)
    if (expected === undefined) {
      findings.check(false, () => `delivery ${id} came from nowhere`, { deliveryId: id })
      continue
    }
    const about = { deliveryId: id }
    const status = row.status === 'pending' && isMarked(row) ? 'canceled' : row.status
    findings.count(expected.status)
    findings.check(
      status === expected.status,
      () => `delivery ${id} is ${status}, not ${expected.status}`,
      about,
    )
    findings.check(
      attempts.length === expected.made,
      () => `delivery ${id} shows ${attempts.length} attempts, not ${expected.made}`,
      about,
    )
    if (expected.status !== 'pending' || expected.dueAt >= endedAt || !isOn(expected.webhook)) continue
    const lateMs = endedAt - expected.dueAt
    lateness.push({ receiver: webhook.id - 1, dueAt: expected.dueAt, lateMs })
    const inTime = lateMs <= overdueMs(webhook.id - 1)
    findings.check(inTime, () => `delivery ${id} was due ${lateMs} ms before the end`, about)
  }
}
