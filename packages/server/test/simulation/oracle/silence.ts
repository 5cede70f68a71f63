import type { AttemptToRecord } from '../../../src/storage/storage.ts'
import type { Arrival } from '../receivers/receivers.ts'
import type { Entry } from '../trace.ts'
import { type ExpectedWebhook, isGone, isOn } from './expectations.ts'
import type { Check, Findings } from './findings.ts'
import type { Ledger } from './ledger.ts'

/** The state of a webhook from a position in the trace on. */
interface Span {
  readonly position: number
  readonly on: boolean
  readonly path: string
}

/**
 * A disabled, paused, deleted or suspended webhook gets nothing new from a process that knows it, and neither
 * does a former URL. After a 410 the process sends nothing more until its result is stored.
 */
export class Silence implements Check {
  readonly #findings: Findings
  readonly #ledger: Ledger
  /** By webhook. */
  readonly #spans = new Map<number, Span[]>()
  /** Position at which each process last learned of a webhook, or started. */
  readonly #informed = new Map<string, number>()
  readonly #started = new Map<number, number>()
  /** 410s that their process has not stored: the time at which each was sent, by process and webhook. */
  readonly #gone = new Map<string, Set<number>>()

  constructor(ledger: Ledger, findings: Findings) {
    this.#ledger = ledger
    this.#findings = findings
  }

  /** Call it after the ledger has read the entry. */
  read(entry: Entry): void {
    switch (entry.kind) {
      case 'started':
        this.#started.set(entry.process, this.#findings.position)
        return
      case 'informed':
        for (const id of entry.webhookIds)
          this.#informed.set(`${entry.process} ${id}`, this.#findings.position)
        return
      case 'changed':
        this.#noteSpan(this.#ledger.webhooks[entry.webhookId - 1]!, new URL(entry.url).pathname)
        break
      case 'deleted':
      case 'disabled':
        this.#noteSpan(this.#ledger.webhooks[entry.webhookId - 1]!)
        break
      case 'suspended':
        for (const webhook of this.#ledger.webhooks)
          if (webhook.workspaceId === entry.workspaceId) this.#noteSpan(webhook)
        return
      case 'heard':
        this.#readHeard(entry.arrival)
        break
      case 'recordAnswered':
        this.#readAnswered(entry.process, entry.results)
        break
      case 'sent':
        this.#readSent(entry.arrival)
    }
  }

  end(): void {}

  #noteSpan(webhook: ExpectedWebhook, path?: string): void {
    const spans = this.#spans.get(webhook.id) ?? []
    const span = { position: this.#findings.position, on: isOn(webhook), path: path ?? spans.at(-1)!.path }
    this.#spans.set(webhook.id, [...spans, span])
  }

  #readHeard(arrival: Arrival): void {
    const { contract } = this.#ledger.webhooks[arrival.receiver]!
    if (!isGone(arrival) || !contract.givesUp) return
    const key = keyOf(arrival)
    this.#gone.set(key, (this.#gone.get(key) ?? new Set()).add(arrival.startedAt))
  }

  #readAnswered(process: number, results: readonly AttemptToRecord[]): void {
    for (const { webhookId, attempt, signal } of results)
      if (signal === 'gone') this.#gone.get(`${process} ${webhookId}`)?.delete(attempt.startedAt)
  }

  #readSent(arrival: Arrival): void {
    const { process, receiver, path } = arrival
    const key = keyOf(arrival)
    const about = { webhookId: receiver + 1, process }
    const what = `process ${process} sent to webhook ${receiver + 1}`
    this.#findings.check(
      (this.#gone.get(key)?.size ?? 0) === 0,
      () => `${what} before the 410 that it had answered was with the store`,
      about,
    )
    const since = Math.max(this.#informed.get(key) ?? -1, this.#started.get(process)!)
    const spans = this.#spans.get(receiver + 1)!
    const current = spans.findLastIndex(({ position }) => position <= since)
    const known = spans.slice(Math.max(current, 0))
    this.#findings.check(
      known.some(({ on }) => on),
      () => `${what}, though it had heard that it is not on`,
      about,
    )
    this.#findings.check(
      known.some((span) => span.on && span.path === path),
      () => `${what} at the URL with ${path}, which it has no more`,
      about,
    )
  }
}

const keyOf = ({ process, receiver }: Arrival) => `${process} ${receiver + 1}`
