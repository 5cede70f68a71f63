import { appendFileSync } from 'node:fs'
import path from 'node:path'
import type { Blockage, Death, Incidents, Lapse, Silence } from './verdict/incidents.ts'

/** What was done to the service and when: the fault script of a run, written to a file as it happens. */
export class Journal {
  readonly #file: string
  #deaths: Death[] = []
  #silences: Silence[] = []
  #blockages: Blockage[] = []
  #lapses: Lapse[] = []
  #complaints: string[] = []
  readonly #open = new Set<{ readonly node: string; readonly cause: string; readonly from: number }>()
  #lastSilence = Number.NEGATIVE_INFINITY

  constructor(directory: string) {
    this.#file = path.join(directory, 'faults.log')
  }

  note(text: string): void {
    appendFileSync(this.#file, `${new Date().toISOString()} ${text}\n`)
  }

  /** Records something that must never happen, whatever is done to the service. */
  complain(text: string): void {
    this.note(`CONTRADICTION ${text}`)
    this.#complaints.push(text)
  }

  died(death: Death): void {
    this.note(`${death.node}: ${death.cause}; gone after ${death.goneAt - death.at} ms`)
    this.#deaths.push(death)
  }

  /** Records that a node's lease expired. The node may report this several times before it has another. */
  lapsed(lapse: Lapse): void {
    const { node, registration } = lapse
    this.note(`${node}: its lease ran out`)
    if (this.#lapses.some((known) => known.node === node && known.registration === registration)) return
    this.#lapses.push(lapse)
  }

  /** From now on these nodes cannot work, or not reach the store. @returns a function that ends this */
  silence(nodes: readonly string[], cause: string): () => void {
    this.note(`begins: ${cause} (${nodes.join(', ')})`)
    const begun = nodes.map((node) => ({ node, cause, from: Date.now() }))
    for (const one of begun) this.#open.add(one)
    return () => {
      this.note(`ends: ${cause}`)
      this.#lastSilence = Date.now()
      for (const one of begun) {
        if (!this.#open.delete(one)) continue
        this.#silences.push({ ...one, to: this.#lastSilence })
      }
    }
  }

  /** From now on a node cannot send. @returns a function that ends this */
  block(node: string, cause: string): () => void {
    this.note(`begins: ${cause} (${node})`)
    const from = Date.now()
    return () => {
      this.note(`ends: ${cause} (${node})`)
      this.#blockages.push({ node, cause, from, to: Date.now() })
    }
  }

  /** Records that a node could not work because the machine was too busy. */
  stalled(node: string, from: number, to: number): void {
    this.note(`${node}: could not work for ${to - from} ms`)
    this.#blockages.push({ node, cause: 'could not work', from, to })
  }

  /** Whether a node is excused for not starting: it was silent within the last `ms`. */
  wasSilentWithin(ms: number): boolean {
    return this.#open.size > 0 || Date.now() - this.#lastSilence <= ms
  }

  /** Everything since the previous call. */
  take(): Omit<Incidents, 'acknowledgedAt'> & { readonly complaints: readonly string[] } {
    const now = Date.now()
    const open = [...this.#open].map((one) => ({ ...one, to: now }))
    const taken = {
      deaths: this.#deaths,
      silences: [...this.#silences, ...open],
      blockages: this.#blockages,
      lapses: this.#lapses,
      complaints: this.#complaints,
    }
    this.#deaths = []
    this.#silences = []
    this.#blockages = []
    this.#lapses = []
    this.#complaints = []
    return taken
  }
}
