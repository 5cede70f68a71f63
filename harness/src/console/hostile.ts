import type { BrowserContext } from 'playwright-core'

/** The function that a script would call if one ran; see {@link watchAttacks}. */
const ATTACK = 'posthornAttack'

/** 2 KB without a line break opportunity. */
export const ENDLESS = 'W'.repeat(2048)

/** Right-to-left letters, which reorder neighboring text unless they are isolated. */
const RIGHT_TO_LEFT = 'אבג'
/** Combining marks that would paint over the lines above; the first three are shown. */
const MARKS = '\u0301'.repeat(9)
const SHOWN_MARKS = '\u0301'.repeat(3)
const END = '¶'

/** Invisible characters, and the names by which the console shows them. */
const NAMES: Readonly<Record<string, string>> = {
  '\u202e': 'RLO',
  '\u2066': 'LRI',
  '\u200b': 'ZWSP',
  '\u061c': 'U+061C',
  '\u{e0041}': 'U+E0041',
  '\u00ad': 'SHY',
  '\u0085': 'U+0085',
  '\u009b': 'U+009B',
  '\u001b': 'ESC',
  '\u0007': 'BEL',
  '\0': 'NUL',
  '\r': 'CR',
}

const LABEL = `\u202e${RIGHT_TO_LEFT}\u2066\u200b\u061c\u{e0041}z${MARKS}`
/** The start of each text, by what a field accepts. */
const HEADS = {
  /** Names: no control characters. */
  label: LABEL,
  /** Descriptions: of the control characters, only line ends and those above ASCII. */
  text: `${LABEL}\r\u0085\u009b[31m`,
  /** JSON and bodies: everything. */
  anything: `${LABEL}\u001b[31m\u0007\0\u009b`,
  /** Headers: bytes above ASCII. */
  header: '\u0085\u009b[31m\u00ad',
} as const

/** Texts that run a script if they are taken for markup, an attribute, an address or a template. */
const payloadsOf = (source: string): readonly string[] => [
  `<script>${ATTACK}('${source}')</script>`,
  `"><img src=x onerror="${ATTACK}('${source}')">`,
  `<svg onload=${ATTACK}('${source}')>`,
  `<iframe srcdoc="<script>parent.${ATTACK}('${source}')</script>"></iframe>`,
  `javascript:${ATTACK}('${source}')`,
  `{{constructor.constructor("${ATTACK}('${source}')")()}}`,
  `</style></title></textarea><details open ontoggle=${ATTACK}('${source}')>`,
]

/**
 * As many texts as needed for every payload to be complete in one of them, and one that is a single word.
 * Each begins with invisible characters and is exactly as long as its field allows.
 * @param longest code points
 */
export function hostileTexts(
  source: string,
  longest: number,
  takes: keyof typeof HEADS = 'label',
): readonly string[] {
  const head = HEADS[takes]
  const room = longest - lengthOf(END)
  const begun: string[] = []
  let text: string = head
  for (const payload of payloadsOf(source)) {
    if (lengthOf(text) + 1 + lengthOf(payload) > room) {
      begun.push(text)
      text = head
    }
    text += ` ${payload}`
  }
  return [...begun, text, head].map((one) => `${one}${'W'.repeat(room - lengthOf(one))}${END}`)
}

const lengthOf = (text: string) => Array.from(text).length

/** A URL whose path contains every payload, as far as a URL can, and has 2 KB in total. */
export function hostileUrl(under: string): string {
  const payloads = encodeURI(payloadsOf('url').join('/'))
  const { href } = new URL(`${under}/${encodeURIComponent(HEADS.anything)}/${payloads}`)
  return href.padEnd(2048, 'w')
}

/** An address of 254 characters that is unique to `name`; addresses have neither brackets nor spaces. */
export function hostileEmail(name: string): string {
  const host = `${'w'.repeat(63)}.${'w'.repeat(63)}.example`
  const local = `${name}'+${ATTACK}\`email\`+'{{${ATTACK}\`email\`}}`
  return `${local.padEnd(254 - 1 - host.length, 'w')}@${host}`
}

/** The text as the console shows it: invisible characters by name. */
export const shownAs = (text: string): string => named(text, (name) => name)
/** The same where no markup is possible, as in titles and labels. */
export const labelledAs = (text: string): string => named(text, (name) => `[${name}]`)

const named = (text: string, as: (name: string) => string) =>
  Array.from(text, (character) => {
    const name = NAMES[character]
    return name === undefined ? character : as(name)
  })
    .join('')
    .replaceAll(MARKS, SHOWN_MARKS)

/**
 * Records every attack that succeeds in any page of the context. Attacks that the browser blocks are faults
 * of the page.
 */
export async function watchAttacks(context: BrowserContext): Promise<readonly string[]> {
  const attacks: string[] = []
  await context.exposeFunction(ATTACK, (source: string) => void attacks.push(source))
  return attacks
}
