import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND_MS } from '../../core/duration.ts'
import { HttpPublisher, postTo } from '../../outbox/httpPublisher.ts'
import { MOST_BYTES, MOST_EVENTS, type PublishOutcome } from '../../outbox/publisher.ts'
import { SettingError } from '../settings.ts'
import { countOf } from '../words.ts'
import { RemoteError } from './client.ts'

const STDIN = '-'
const TRIES = 8
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 30 * SECOND_MS

interface Line {
  /** From 1. */
  readonly number: number
  readonly text: string
}

/** How many were published so far, for the message of an error. */
interface Progress {
  events: number
  /** Events that had been published before. */
  repeated: number
  /** The last line that was published. */
  line: number
}

/**
 * Publishes the events in a file or on stdin, one per line, in batches and in order. Lines of stdin are published as they
 * arrive.
 * @throws RemoteError that names the line of the error, and the last one that was published
 */
export async function publishFile(params: {
  /** `-`: stdin */
  readonly file: string
  readonly url: string
  readonly key: string
  /** `null`: the service has no workspace in paths. */
  readonly workspace: string | null
}): Promise<void> {
  const { file, url, key, workspace } = params
  const publisher = new HttpPublisher({
    post: postTo(url),
    headersFor: () => ({ authorization: `Bearer ${key}` }),
    layout: workspace === null ? 'flat' : 'workspace',
  })
  const progress: Progress = { events: 0, repeated: 0, line: 0 }
  for await (const lines of batchesOf(linesOf(file)))
    await publishLines(publisher, workspace ?? '', lines, progress)
  process.stdout.write(`${summary(progress)}.\n`)
}

async function* linesOf(file: string): AsyncGenerator<Line> {
  const input = file === STDIN ? process.stdin : createReadStream(file)
  const reader = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
  // Otherwise an error of the stream would end the process.
  const failed = new Promise<never>((_, reject) => input.once('error', reject))
  failed.catch(() => {})
  let number = 0
  const lines = reader[Symbol.asyncIterator]()
  for (;;) {
    const next = await Promise.race([lines.next(), failed]).catch((error: Error) => {
      throw new SettingError(`--from-file: cannot read ${file}: ${error.message}`)
    })
    if (next.done === true) return
    number += 1
    if (next.value.trim() !== '') yield { number, text: next.value }
  }
}

/** The lines that have arrived, up to the size of a batch. */
async function* batchesOf(lines: AsyncGenerator<Line>): AsyncGenerator<readonly Line[]> {
  let batch: Line[] = []
  let bytes = 0
  let next = lines.next()
  for (;;) {
    const found = batch.length === 0 ? await next : await Promise.race([next, sleep(0, null)])
    const isLast = found !== null && found.done === true
    const size = found === null || isLast ? 0 : Buffer.byteLength(found.value.text) + 1
    const isFull = batch.length === MOST_EVENTS || bytes + size > MOST_BYTES
    if (batch.length > 0 && (found === null || isLast || isFull)) {
      yield batch
      batch = []
      bytes = 0
    }
    if (isLast) return
    if (found === null) continue
    batch.push(found.value)
    bytes += size
    next = lines.next()
  }
}

async function publishLines(
  publisher: HttpPublisher,
  workspace: string,
  lines: readonly Line[],
  progress: Progress,
): Promise<void> {
  for (const { number, text } of lines) checkJson(number, text, progress)
  const texts = lines.map(({ text }) => text)
  // Events may have no ids: a retry after a lost response must not publish them twice.
  const idempotencyKey = randomUUID()
  for (let tries = 1, waitMs = FIRST_WAIT_MS; ; tries++, waitMs *= 2) {
    const result = await publisher.publish(workspace, texts, idempotencyKey)
    if (result.outcome === 'published') {
      progress.events += lines.length - result.repeated
      progress.repeated += result.repeated
      progress.line = lines.at(-1)!.number
      return
    }
    const retryAfterMs = result.outcome === 'rejected' ? null : (result.retryAfterMs ?? waitMs)
    const isWorthIt = result.outcome === 'unavailable' || isQuota(result)
    if (!isWorthIt || tries === TRIES || retryAfterMs! > LONGEST_WAIT_MS)
      throw failure(result, lines, progress)
    await sleep(retryAfterMs!)
  }
}

/** A quota error with the time of the next possible retry. */
const isQuota = (result: PublishOutcome) => result.outcome === 'blocked' && result.retryAfterMs !== null

function checkJson(number: number, text: string, progress: Progress): void {
  try {
    JSON.parse(text)
  } catch (error) {
    throw new RemoteError(
      `line ${number}: use one event as JSON per line (${(error as Error).message})${rest(progress)}`,
    )
  }
}

function failure(
  result: Exclude<PublishOutcome, { outcome: 'published' }>,
  lines: readonly Line[],
  progress: Progress,
): RemoteError {
  const events = result.outcome === 'rejected' ? result.events : []
  const wrong = events.map(({ position, reason }) => `\n  line ${lines[position]!.number}: ${reason}`)
  return new RemoteError(`${result.reason}${wrong.join('')}${rest(progress)}`)
}

function rest(progress: Progress): string {
  const { line } = progress
  return line === 0
    ? '\nNothing was published.'
    : `\n${summary(progress)}, up to line ${line}. Continue with line ${line + 1}.`
}

/** How many were published in this run, apart from events that were published before. */
function summary({ events, repeated }: Progress): string {
  const before = repeated === 0 ? '' : `, ${repeated} ${repeated === 1 ? 'was' : 'were'} already published`
  return `Published ${countOf(events, 'event')}${before}`
}
