import type { Goal, Metric, Scenario } from './scenario.ts'
import type { ScenarioSummary } from './summary.ts'

/** The result of a goal. */
export interface JudgedGoal extends Goal {
  /** The median; `null` when it could not be measured. */
  readonly reached: number | null
  /** By how much it is missed, in the metric's unit; 0 when it is met, `null` when it could not be measured. */
  readonly missedBy: number | null
}

export function judge(goals: readonly Goal[], summary: ScenarioSummary): JudgedGoal[] {
  return goals.map((goal) => {
    const { metric, variant, atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = goal
    const known = variant === undefined ? summary.derived : summary.variants[variant]
    const reached = known?.[metric]?.median ?? null
    const missedBy = reached === null ? null : Math.max(0, atLeast - reached, reached - atMost)
    return { ...goal, reached, missedBy }
  })
}

/** One line per goal; where each of many variants has one, the goals that were met share a line. */
export function goalLines(
  scenario: Pick<Scenario, 'metrics' | 'derived' | 'variantsDown'>,
  goals: readonly JudgedGoal[],
): string[] {
  if (scenario.variantsDown !== true) return goals.map((goal) => goalLine(scenario, goal))
  const others = goals.filter(({ missedBy }) => missedBy !== 0)
  return [
    ...others.map((goal) => goalLine(scenario, goal)),
    `goals met: ${goals.length - others.length} of ${goals.length}`,
  ]
}

export function goalLine(
  { metrics, derived }: Pick<Scenario, 'metrics' | 'derived'>,
  goal: JudgedGoal,
): string {
  const { metric, variant, atLeast, atMost, reached, missedBy } = goal
  const { heading, show }: Metric = variant === undefined ? derived[metric]! : metrics[metric]!
  const limits = [
    ...(atLeast === undefined ? [] : [`at least ${atLeast}`]),
    ...(atMost === undefined ? [] : [`at most ${atMost}`]),
  ]
  const wanted = `${heading}${variant === undefined ? '' : ` (${variant})`}: ${limits.join(' and ')}`
  if (reached === null || missedBy === null) return `goal not measured: ${wanted}`
  if (missedBy === 0) return `goal met: ${wanted}, reached ${show(reached)}`
  const limit = reached < (atLeast ?? Number.NEGATIVE_INFINITY) ? atLeast! : atMost!
  const share = limit === 0 ? '' : ` (${((missedBy / limit) * 100).toFixed(1)} %)`
  // The metric's usual digits could hide a near miss.
  return `goal MISSED: ${wanted}, reached ${show(reached)}, missed by ${Number(missedBy.toPrecision(2))}${share}`
}
