import axe, { type Result } from 'axe-core'
import type { Frame } from 'playwright-core'

/** Serious and critical accessibility problems of the current document, one per line. */
export async function graveFindings(frame: Frame): Promise<string[]> {
  if (!(await frame.evaluate<boolean>('"axe" in window'))) await frame.evaluate(axe.source)
  const violations = await frame.evaluate<readonly Result[]>(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)',
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`))
}
