import type { BrowserContext } from 'playwright-core'

/** What a script would call if one ran; see {@link watchAttacks}. */
const ATTACK = 'posthornAttack'

/** 2 KB without a place to break. */
export const ENDLESS = 'W'.repeat(2048)

/** Turns around what follows, hides a part, rings the bell, and paints over its neighbours. */
export const TRICKY = `\u202egnp.tpircs\u202c\u2066\u200b\u001b[31m\u0007z${'\u0301'.repeat(60)}\u{e0041}`

/** Texts that run a script wherever text is taken for markup, an attribute, an address or a template. */
export const scriptsFrom = (source: string): string =>
  [
    `<script>${ATTACK}('${source}')</script>`,
    `"><img src=x onerror="${ATTACK}('${source}')">`,
    `<svg onload=${ATTACK}('${source}')>`,
    `<iframe srcdoc="<script>parent.${ATTACK}('${source}')</script>"></iframe>`,
    `javascript:${ATTACK}('${source}')`,
    `{{constructor.constructor("${ATTACK}('${source}')")()}}`,
    `</style></title></textarea><details open ontoggle=${ATTACK}('${source}')>`,
  ].join(' ')

/** Notes every attack that succeeds in any page of the context. Those that the browser refuses are faults of the page. */
export async function watchAttacks(context: BrowserContext): Promise<readonly string[]> {
  const attacks: string[] = []
  await context.exposeFunction(ATTACK, (source: string) => void attacks.push(source))
  return attacks
}
