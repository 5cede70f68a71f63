import { appendFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Prints why tests were skipped, and ends the output with one line of counts that any CI can parse. It adds
 * the line to the file that `TEST_COUNTS_FILE` names, so that several runs can be summed up.
 */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const reasons: string[] = []
    const counts = { passed: 0, failed: unhandled.length, skipped: 0 }
    for (const module of modules) {
      // A file that fails to load has no tests to count, but must count as failed.
      if (module.errors().length > 0) counts.failed++
      for (const test of module.children.allTests()) {
        const result = test.result()
        if (result.state !== 'pending') counts[result.state]++
        if (result.state === 'skipped') reasons.push(`${test.fullName}: ${result.note ?? 'no reason given'}`)
      }
    }
    const counted = `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`
    const total = process.env.TEST_COUNTS_FILE
    if (total !== undefined) appendFileSync(total, counted)
    // After vitest's own summary, which is printed synchronously at the end of the run.
    setImmediate(() => {
      process.stdout.write(`\n${reasons.map((reason) => `Skipped ${reason}\n`).join('')}${counted}`)
    })
  }
}
