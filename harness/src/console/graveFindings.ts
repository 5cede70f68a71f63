import axe, { type Result, type RunOptions } from 'axe-core'
import type { Frame } from 'playwright-core'

/** The rules whose verdict depends on colors, but for the enhanced contrast, which is no promise of ours. */
const COLOR_RULES = axe
  .getRules(['cat.color'])
  .filter(({ tags }) => !tags.includes('wcag2aaa'))
  .map(({ ruleId }) => ruleId)

/**
 * What is serious or critical in a document as it stands, one line each.
 * @param rules `colors`: where the same document in other colors has passed all of them
 */
export async function graveFindings(frame: Frame, rules: 'all' | 'colors'): Promise<string[]> {
  if (!(await frame.evaluate<boolean>('"axe" in window'))) await frame.evaluate(axe.source)
  const options: RunOptions = {
    resultTypes: ['violations'],
    ...(rules === 'all' ? {} : { runOnly: { type: 'rule', values: COLOR_RULES } }),
  }
  const violations = await frame.evaluate<readonly Result[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`))
}
