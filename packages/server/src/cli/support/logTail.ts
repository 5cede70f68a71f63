import { execFile } from 'node:child_process'
import { open, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { SECOND_MS } from '../../core/duration.ts'

export const MOST_LINES = 5_000
export const MOST_BYTES = 2 * 1024 * 1024
/** Longer ones are cut: a line of the service has a few hundred characters, a stack some thousands. */
const LONGEST_LINE = 8 * 1024

/** For a program that writes an old log into a pipe. */
const STREAM_WITHIN_MS = 60 * SECOND_MS
const JOURNAL_WITHIN_MS = 10 * SECOND_MS
/** Each entry has some 300 bytes of its own. */
const JOURNAL_MOST_BYTES = MOST_BYTES + 512 * MOST_LINES

/**
 * The last lines of a log file; what is larger is read from near its end.
 * @throws Error (rejects) whose message names the file
 */
export async function fileTail(file: string): Promise<string> {
  try {
    // A pipe would never end.
    if (!(await stat(file)).isFile()) throw new Error('it is not a file')
    const handle = await open(file, 'r')
    try {
      const { size } = await handle.stat()
      const start = Math.max(0, size - MOST_BYTES)
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start)
      return tailOf(buffer.subarray(0, bytesRead), start > 0)
    } finally {
      await handle.close()
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EACCES'
          ? 'this user has no permission to read it'
          : message
    throw new Error(`cannot read ${file}: ${reason}`)
  }
}

/**
 * The last lines of a stream, such as stdin.
 * @throws Error (rejects) if it does not end
 */
export async function streamTail(
  stream: Readable & { readonly isTTY?: boolean },
  withinMs = STREAM_WITHIN_MS,
) {
  if (stream.isTTY === true) throw new Error('pipe the log into this command')
  const timer = setTimeout(
    () =>
      stream.destroy(
        new Error(
          `stdin did not end within ${withinMs / SECOND_MS} seconds; pipe the log without following it (no tail -f)`,
        ),
      ),
    withinMs,
  )
  let kept: Buffer[] = []
  let [bytes, isCut] = [0, false]
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      kept.push(chunk)
      bytes += chunk.length
      if (bytes <= 2 * MOST_BYTES) continue
      kept = [Buffer.from(Buffer.concat(kept).subarray(-MOST_BYTES))]
      ;[bytes, isCut] = [MOST_BYTES, true]
    }
  } finally {
    clearTimeout(timer)
  }
  return tailOf(Buffer.concat(kept), isCut)
}

/** @param isCut whether more bytes were before these */
function tailOf(bytes: Buffer, isCut: boolean): string {
  const text = bytes.subarray(-MOST_BYTES).toString('utf8')
  // The first line is then cut as well.
  return lastLines(isCut || bytes.length > MOST_BYTES ? text.slice(text.indexOf('\n') + 1) : text)
}

/**
 * The last lines that a systemd unit logged, and what systemd says of it.
 * @throws Error (rejects) whose message says why they cannot be had
 */
export async function journalTail(unit: string): Promise<string> {
  const entries = ['--output=json', '--output-fields=MESSAGE,SYSLOG_IDENTIFIER']
  const args = [`--unit=${unit}`, `--lines=${MOST_LINES}`, '--no-pager', '--quiet', ...entries]
  const { stdout } = await promisify(execFile)('journalctl', args, {
    timeout: JOURNAL_WITHIN_MS,
    maxBuffer: JOURNAL_MOST_BYTES,
    encoding: 'utf8',
  }).catch((error: NodeJS.ErrnoException & { killed?: boolean }) => {
    throw new Error(journalProblem(error))
  })
  const text = lastLines(journalLines(stdout))
  if (text === '')
    throw new Error(`the journal has no lines of the unit ${unit} that this user has permission to read`)
  return text
}

function journalProblem({ code, killed }: NodeJS.ErrnoException & { killed?: boolean }): string {
  if (code === 'ENOENT') return 'this machine has no journalctl'
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'the last lines of the journal are too large'
  return killed === true
    ? `journalctl did not end within ${JOURNAL_WITHIN_MS / SECOND_MS} seconds`
    : 'journalctl failed'
}

interface JournalEntry {
  /** Bytes or nothing where it is no text. */
  readonly MESSAGE?: unknown
  readonly SYSLOG_IDENTIFIER?: unknown
  /** Unix µs. */
  readonly __REALTIME_TIMESTAMP?: string
}

/** @param json an entry a line @returns lines with the time, the program and the message */
export const journalLines = (json: string): string =>
  json
    .split('\n')
    .flatMap((line) => {
      const entry = entryOf(line)
      if (typeof entry?.MESSAGE !== 'string') return []
      const at = new Date(Number(entry.__REALTIME_TIMESTAMP) / 1000)
      const time = Number.isNaN(at.getTime()) ? '-' : at.toISOString()
      return [`${time} ${String(entry.SYSLOG_IDENTIFIER ?? '-')} ${entry.MESSAGE}\n`]
    })
    .join('')

function entryOf(line: string): JournalEntry | null {
  try {
    return JSON.parse(line) as JournalEntry
  } catch {
    return null
  }
}

function lastLines(text: string): string {
  const lines = text.split('\n').slice(-MOST_LINES - 1)
  const cut = lines.map((line) =>
    line.length <= LONGEST_LINE
      ? line
      : `${line.slice(0, LONGEST_LINE)} … (${line.length - LONGEST_LINE} characters cut)`,
  )
  return cut.join('\n')
}
