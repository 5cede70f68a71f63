/** One message of a `text/event-stream`. */
export interface StreamMessage {
  /** `message` when the sender named none. */
  readonly event: string
  readonly data: string
}

/** A message that goes on and on is no message: whoever sends it would fill the memory of the page. */
export const MAX_MESSAGE_CHARACTERS = 16 * 1024 * 1024

/**
 * Reads a `text/event-stream` in whatever chunks it comes (HTML Standard, 9.2.6). Comments are skipped; `id` and `retry`
 * are of no use to a reader that decides by itself when to come back.
 * @throws Error when a message has no end
 */
export class EventStreamReader {
  #rest = ''
  #isFirst = true
  /** Whether the last chunk ended with CR: an LF at the start of the next belongs to it. */
  #afterCarriageReturn = false
  #event = ''
  #data: string[] = []
  #dataCharacters = 0

  push(chunk: string): StreamMessage[] {
    const lines = this.#linesOf(chunk)
    const messages: StreamMessage[] = []
    for (const line of lines) {
      const message = line === '' ? this.#dispatch() : this.#take(line)
      if (message !== null) messages.push(message)
    }
    if (this.#rest.length + this.#dataCharacters > MAX_MESSAGE_CHARACTERS) {
      throw new Error('The stream sent a message without an end.')
    }
    return messages
  }

  /** @returns the lines that ended; what follows the last end waits for the next chunk */
  #linesOf(chunk: string): string[] {
    let text = chunk
    if (this.#isFirst && text !== '') {
      this.#isFirst = false
      if (text.startsWith('\uFEFF')) text = text.slice(1)
    }
    if (text === '') return []
    if (this.#afterCarriageReturn && text.startsWith('\n')) text = text.slice(1)
    this.#afterCarriageReturn = text.endsWith('\r')
    const lines = (this.#rest + text).split(/\r\n|\r|\n/)
    this.#rest = lines.pop()!
    return lines
  }

  #take(line: string): null {
    const colon = line.indexOf(':')
    if (colon === 0) return null
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'event') this.#event = value
    if (field === 'data') {
      this.#data.push(value)
      this.#dataCharacters += value.length
    }
    return null
  }

  #dispatch(): StreamMessage | null {
    const event = this.#event === '' ? 'message' : this.#event
    const data = this.#data.join('\n')
    const isEmpty = this.#data.length === 0
    this.#event = ''
    this.#data = []
    this.#dataCharacters = 0
    return isEmpty ? null : { event, data }
  }
}
