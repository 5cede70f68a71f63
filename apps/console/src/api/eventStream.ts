/** One message of a `text/event-stream`. */
export interface StreamMessage {
  /** `message` by default. */
  readonly event: string
  readonly data: string
}

/** Limits the memory that an endless message can use. */
export const MAX_MESSAGE_CHARACTERS = 16 * 1024 * 1024

/**
 * Parses a `text/event-stream` chunk by chunk (HTML Standard, 9.2.6). Comments, `id` and `retry` are ignored: the caller
 * decides when to reconnect.
 * @throws Error when a message is too long
 */
export class EventStreamReader {
  #rest = ''
  #isFirst = true
  /** Whether the last chunk ended with CR: an LF at the start of the next chunk belongs to it. */
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

  /** @returns the complete lines; the rest is kept for the next chunk */
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
