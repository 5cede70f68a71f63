import path from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

const SHOWN = 10

/** Lists the slowest files, as a start for making tests faster. */
export default class SlowestFilesReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules
      .map((module) => ({ module, ms: module.diagnostic().duration }))
      .sort((a, b) => b.ms - a.ms)
      .slice(0, SHOWN)
      .map(({ module, ms }) => {
        const seconds = (ms / 1_000).toFixed(1).padStart(6)
        return `${seconds} s  ${module.project.name}  ${path.relative(process.cwd(), module.moduleId)}\n`
      })
    // After vitest's own summary, which is printed synchronously at the end of the run.
    setImmediate(() => process.stdout.write(`\nSlowest files\n${files.join('')}`))
  }
}
