import { createWriteStream, readFileSync, type WriteStream } from 'node:fs'

const CHUNK_BYTES = 64 * 1024
const LONGEST_ID_BYTES = 128

/**
 * Collects ids in a file, one per line. Half a million strings on the heap would measure the garbage
 * collector; bytes in a buffer do not. Existing content of the file stays, so that programs may follow each
 * other.
 */
export class IdFile {
  readonly #stream: WriteStream
  #chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  #used = 0

  constructor(file: string) {
    this.#stream = createWriteStream(file, { flags: 'a' })
  }

  add(id: string): void {
    if (this.#used + LONGEST_ID_BYTES > CHUNK_BYTES) this.#flush()
    this.#used += this.#chunk.write(id, this.#used, 'latin1')
    this.#chunk[this.#used++] = 0x0a
  }

  end(): Promise<void> {
    this.#flush()
    return new Promise((resolve) => this.#stream.end(() => resolve()))
  }

  #flush(): void {
    this.#stream.write(this.#chunk.subarray(0, this.#used))
    this.#chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    this.#used = 0
  }
}

export interface IdComparison {
  readonly acknowledged: number
  readonly received: number
  /** Acknowledged, never received. */
  readonly lost: number
  /** Received without any acknowledgement that they were stored. */
  readonly unknown: number
  readonly duplicates: number
}

export function compareIds(acknowledgedFile: string, receivedFile: string): IdComparison {
  const receivedList = read(receivedFile)
  const received = new Set(receivedList)
  const acknowledged = new Set(read(acknowledgedFile))
  let lost = 0
  for (const id of acknowledged) if (!received.has(id)) lost++
  return {
    acknowledged: acknowledged.size,
    received: received.size,
    lost,
    unknown: received.size - (acknowledged.size - lost),
    duplicates: receivedList.length - received.size,
  }
}

/** For files that are not compared with another. */
export function countIds(file: string): { readonly distinct: number; readonly duplicates: number } {
  const ids = read(file)
  const distinct = new Set(ids).size
  return { distinct, duplicates: ids.length - distinct }
}

function read(file: string): string[] {
  return readFileSync(file, 'latin1')
    .split('\n')
    .filter((id) => id !== '')
}

/** Complaints about a run in which every acknowledged event must be received exactly once. */
export function complaintsOf({ lost, unknown, duplicates }: IdComparison): string[] {
  const complaints = []
  if (lost > 0) complaints.push(`${lost} acknowledged events were not received`)
  if (unknown > 0) complaints.push(`${unknown} received events were never acknowledged`)
  if (duplicates > 0) complaints.push(`${duplicates} events were received a second time`)
  return complaints
}
