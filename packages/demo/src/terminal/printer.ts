import { styleText } from 'node:util'

type Tone = 'good' | 'bad' | 'wait' | 'news' | 'hand'

/** The verbs of the lines. */
const VERBS = {
  published: ['●', 'news'],
  delivered: ['✓', 'good'],
  'will retry': ['↻', 'wait'],
  failed: ['✗', 'bad'],
  dead: ['✗', 'bad'],
  canceled: ['✗', 'bad'],
  disabled: ['■', 'bad'],
  replayed: ['»', 'hand'],
  redelivered: ['»', 'hand'],
  rejected: ['✓', 'good'],
} as const satisfies Record<string, readonly [mark: string, tone: Tone]>

export type Verb = keyof typeof VERBS

const COLORS = { good: 'green', bad: 'red', wait: 'yellow', news: 'cyan', hand: 'magenta' } as const

type Style = Parameters<typeof styleText>[0]

/** One line: what happened, to which event, at which receiver. Without a receiver, `detail` takes the room of both. */
export interface Line {
  readonly verb: Verb
  readonly type: string
  readonly receiver?: string
  readonly detail: string
}

/** From this width on there is room for the time. */
const WIDE = 96
const MAX_COLUMNS = 100
const TYPE_WIDTH = 27
const RECEIVER_WIDTH = 14

/** Writes plain lines, so that the output is the same in a terminal, a pipe and a build log. */
export class Printer {
  readonly columns: number
  readonly #write: (text: string) => void
  readonly #colors: boolean
  readonly #startedAt = performance.now()

  constructor(params: {
    readonly write: (text: string) => void
    readonly columns: number
    readonly colors: boolean
  }) {
    this.columns = Math.min(params.columns, MAX_COLUMNS)
    this.#write = params.write
    this.#colors = params.colors
  }

  line({ verb, type, receiver, detail }: Line): void {
    const [mark, tone] = VERBS[verb]
    const seconds = (performance.now() - this.#startedAt) / 1000
    const time = this.isWide ? `${`${seconds.toFixed(1)}s`.padStart(6)}  ` : ''
    const what = this.styled(COLORS[tone], `${mark} ${verb}`.padEnd(15))
    const name = verb === 'published' ? this.styled('bold', type.padEnd(TYPE_WIDTH)) : type.padEnd(TYPE_WIDTH)
    const whose = receiver === undefined ? '' : `${receiver.padEnd(RECEIVER_WIDTH)} `
    const used = time.length + 15 + TYPE_WIDTH + 1 + whose.length
    const rest = cut(detail, this.columns - used)
    const styledRest = receiver === undefined ? rest : this.styled('dim', rest)
    this.say(`${this.styled('dim', time)}${what}${name} ${whose}${styledRest}`)
  }

  heading(text: string): void {
    this.say('')
    this.say(this.styled('bold', text))
  }

  say(text: string): void {
    this.#write(`${text}\n`)
  }

  /** Prose, broken between words. */
  paragraph(text: string, style?: Style): void {
    for (const line of wrap(text, this.columns))
      this.say(style === undefined ? line : this.styled(style, line))
  }

  get isWide(): boolean {
    return this.columns >= WIDE
  }

  styled(style: Style, text: string): string {
    // The caller has already decided on colors, from the terminal and NO_COLOR.
    return this.#colors && text !== '' ? styleText(style, text, { validateStream: false }) : text
  }
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
