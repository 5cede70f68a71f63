import type { Arrival } from '../receivers/receivers.ts'
import type { Entry, EntryOf } from '../trace.ts'
import type { ExpectedDelivery } from './expectations.ts'
import type { Check, Findings } from './findings.ts'
import type { Ledger } from './ledger.ts'
import type { Processes } from './processes.ts'

/** A delivery leased to one process, as that process knows it. */
interface LeasedDelivery {
  readonly lease: number
  /** When the delivery was due then, and the time of the process; Unix ms. */
  readonly dueAt: number
  readonly now: number
  sent: boolean
}

/** How late a request was. */
export interface Lateness {
  readonly receiver: number
  readonly dueAt: number
  readonly lateMs: number
}

/** A process may send the store a time that it read a moment ago. */
const TIME_TOLERANCE_MS = 1_000

/**
 * The rights to send and record: requests need a lease, one each, and results count only with the newest
 * lease, and always with that.
 */
export class Leases implements Check {
  readonly lateness: Lateness[] = []
  readonly #findings: Findings
  readonly #ledger: Ledger
  readonly #processes: Processes
  /** By process, and by delivery. */
  readonly #leases = new Map<number, Map<number, LeasedDelivery>>()

  constructor(ledger: Ledger, processes: Processes, findings: Findings) {
    this.#ledger = ledger
    this.#processes = processes
    this.#findings = findings
  }

  read(entry: Entry): void {
    switch (entry.kind) {
      case 'leased':
        this.#readLeased(entry)
        break
      case 'freed':
        this.#readFreed(entry)
        break
      case 'refused':
        this.#readRefused(entry)
        break
      case 'attempted':
        this.#readAttempted(entry)
        break
      case 'sent':
        this.#readSent(entry.arrival)
        break
      // Under a new number a process has none of the earlier leases.
      case 'registered':
      case 'ended':
        this.#leases.delete(entry.process)
        return
      case 'wrongTime':
        this.#findings.check(
          Math.abs(entry.byMs) <= TIME_TOLERANCE_MS,
          () => `process ${entry.process} called ${entry.call} with a time that is ${entry.byMs} ms off`,
          { process: entry.process },
        )
    }
  }

  end(): void {
    for (const { id, lease } of this.#ledger.deliveries.values())
      this.#findings.check(lease === null, () => `delivery ${id} is still leased to node ${lease?.nodeId}`, {
        deliveryId: id,
      })
  }

  #readLeased({ nodeId, lease, now, deliveryIds }: EntryOf<'leased'>): void {
    const process = this.#processes.byNodeId(nodeId)
    for (const id of deliveryIds) {
      const delivery = this.#ledger.deliveries.get(id)!
      this.#findings.check(
        delivery.lease === null && delivery.status === 'pending',
        () => `delivery ${id} was leased when it was ${delivery.lease === null ? delivery.status : 'leased'}`,
        { deliveryId: id },
      )
      delivery.lease = { id: lease, nodeId }
      if (process === undefined || process.endedAt !== null) continue
      const leases = this.#leasesOf(process.number)
      leases.set(id, { lease, dueAt: delivery.dueAt, now, sent: false })
    }
  }

  #readFreed({ by, deliveryIds }: EntryOf<'freed'>): void {
    for (const id of deliveryIds) {
      const delivery = this.#ledger.deliveries.get(id)!
      const process = this.#processes.byNodeId(delivery.lease!.nodeId)
      // After a takeover its node still believes in the lease; after a release it does not.
      if (process !== undefined && by !== 'rescue') this.#forget(process.number, delivery)
      delivery.lease = null
    }
  }

  #readAttempted({ nodeId, result }: EntryOf<'attempted'>): void {
    const { deliveryId, lease, attempt } = result
    const delivery = this.#ledger.deliveries.get(deliveryId)!
    const { lease: newest } = delivery
    this.#findings.check(
      newest?.id === lease && newest.nodeId === nodeId && !this.#processes.isRemoved(nodeId),
      () => `attempt ${attempt.number} of delivery ${deliveryId} was recorded under a stale lease`,
      { deliveryId },
    )
    delivery.lease = null
    const process = this.#processes.byNodeId(nodeId)
    if (process !== undefined) this.#forget(process.number, delivery)
  }

  #readRefused({ nodeId, result }: EntryOf<'refused'>): void {
    const { deliveryId, lease, attempt } = result
    const delivery = this.#ledger.deliveries.get(deliveryId)!
    const { lease: newest, made } = delivery
    const holds = newest?.id === lease && newest.nodeId === nodeId && attempt.number === made + 1
    this.#findings.check(
      !holds || this.#processes.isRemoved(nodeId),
      () =>
        `attempt ${attempt.number} of delivery ${deliveryId} was rejected though it was leased to its node`,
      { deliveryId },
    )
    this.#findings.count('results refused')
  }

  #readSent(arrival: Arrival): void {
    const { process, startedAt, monotonic, receiver } = arrival
    const delivery = this.#ledger.targetOf(arrival)
    if (delivery === undefined) {
      this.#findings.check(
        false,
        () => `receiver ${receiver} got event ${arrival.event}, which is not for it`,
        {
          process,
        },
      )
      return
    }
    delivery.open.add(arrival)
    const about = { deliveryId: delivery.id, process }
    const what = `a request of delivery ${delivery.id} by process ${process}`
    const { validUntil, toldAt } = this.#processes.byNumber(process)
    this.#findings.check(
      // In the millisecond of the answer, the node may not have read it yet.
      monotonic < validUntil || arrival.at === toldAt,
      () => `${what} went out ${monotonic - validUntil} ms after its lease had run out`,
      about,
    )
    const leased = this.#leases.get(process)?.get(delivery.id)
    if (leased === undefined) {
      this.#findings.check(false, () => `${what} went out without a lease`, about)
      return
    }
    this.#findings.check(!leased.sent, () => `${what} went out twice under one lease`, about)
    leased.sent = true
    const early = leased.dueAt - Math.max(startedAt, leased.now)
    this.#findings.check(early <= 0, () => `${what} went out ${early} ms too early`, about)
    this.lateness.push({ receiver, dueAt: leased.dueAt, lateMs: startedAt - leased.dueAt })
  }

  #leasesOf(process: number): Map<number, LeasedDelivery> {
    const known = this.#leases.get(process)
    if (known !== undefined) return known
    const leases = new Map<number, LeasedDelivery>()
    this.#leases.set(process, leases)
    return leases
  }

  #forget(process: number, { id }: ExpectedDelivery): void {
    this.#leases.get(process)?.delete(id)
  }
}
