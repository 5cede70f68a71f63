import { unreadable, unwantedUpgrade } from './errors.ts'
import { parseHead, type ResponseHead } from './head.ts'
import { HeadReader } from './headReader.ts'

const FINAL_FROM = 200
const SWITCHING_PROTOCOLS = 101
/** Limit per response: a receiver that sends interim responses without end would keep a core busy until the deadline. */
const MAX_INTERIM_RESPONSES = 32
const MAX_INTERIM_CHARACTERS = 65_536

/** Reads the heads of responses and skips the interim responses before each. */
export class FinalHeadReader {
  /** The head of a response, if the last read completed it. */
  head: ResponseHead | null = null
  readonly #reader = new HeadReader()
  /** The heads of a receiver usually differ only in their date: most need not be parsed again. */
  #last: { readonly text: string; readonly head: ResponseHead } | null = null
  #interimResponses = 0
  #interimCharacters = 0

  /**
   * @returns how many bytes of `chunk` it consumed: at most those of one head
   * @throws ExchangeError for an invalid head, for an upgrade, and for too many interim responses
   */
  read(chunk: Buffer): number {
    this.head = null
    const whole = this.#reader.read(chunk)
    if (whole === null) return chunk.length
    const head = this.#parse(whole.text)
    if (head.statusCode === SWITCHING_PROTOCOLS) throw unwantedUpgrade()
    if (head.statusCode < FINAL_FROM) this.#passOver(whole.text.length)
    else {
      this.#interimResponses = 0
      this.#interimCharacters = 0
      this.head = head
    }
    return whole.taken
  }

  #parse(text: string): ResponseHead {
    if (this.#last?.text !== text) this.#last = { text, head: parseHead(text) }
    return this.#last.head
  }

  #passOver(characters: number): void {
    this.#interimResponses += 1
    this.#interimCharacters += characters
    if (this.#interimResponses > MAX_INTERIM_RESPONSES || this.#interimCharacters > MAX_INTERIM_CHARACTERS)
      throw unreadable('too many interim responses')
  }
}
